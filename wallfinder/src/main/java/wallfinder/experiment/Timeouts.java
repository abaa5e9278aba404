package wallfinder.experiment;

import java.time.Duration;

/// How long the phases of an exchange may take.
///
/// @param connect from the connect call to the connection
/// @param firstByte from the request being sent to the first byte of its answer
/// @param whole from the start of the exchange, its connect included, to its last byte; it bounds
///   the phases too
public record Timeouts(Duration connect, Duration firstByte, Duration whole) {
    /// Nothing but the whole exchange is bounded.
    public static Timeouts whole(Duration whole) {
        return new Timeouts(whole, whole, whole);
    }
}
