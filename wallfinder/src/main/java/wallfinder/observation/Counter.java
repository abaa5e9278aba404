package wallfinder.observation;

/// One thing that is read again and again.
///
/// @param key what it counts
/// @param source where it is read, such as `/proc/net/netstat`
public record Counter(Key key, End end, String source) {
    /// How the values are to be read.
    public enum Kind {
        /// Only grows: what counts is the difference.
        CUMULATIVE,
        /// A level: what counts is the value.
        GAUGE
    }

    /// Its name in files, such as `TcpExt.ListenOverflows`.
    public String name() {
        return key.text();
    }

    public Kind kind() {
        return key.form().kind();
    }
}
