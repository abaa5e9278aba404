package wallfinder.observation;

/// A counter of one end.
///
/// @param source where it is read, such as `/proc/net/netstat`
public record Counter(Key key, End end, String source) {
    public enum Kind {
        /// The value only grows; its growth is what matters.
        CUMULATIVE,
        /// The value is a level.
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
