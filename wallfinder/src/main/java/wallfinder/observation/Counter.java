package wallfinder.observation;

/// One thing that is read again and again.
///
/// @param name such as `TcpExt.ListenOverflows`; the names are listed in [Names]
/// @param source where it is read, such as `/proc/net/netstat`
public record Counter(String name, End end, Kind kind, String source) {
    /// How the values are to be read.
    public enum Kind {
        /// Only grows: what counts is the difference.
        CUMULATIVE,
        /// A level: what counts is the value.
        GAUGE
    }
}
