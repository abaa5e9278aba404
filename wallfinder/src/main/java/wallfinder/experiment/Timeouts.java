package wallfinder.experiment;

import java.time.Duration;

/// The maximum times of an exchange and its phases.
///
/// @param connect from the connect call to the connection
/// @param firstByte from sending the request to the first byte of the answer
/// @param whole from the start of the exchange, its connect included, to its last byte; it bounds
///   the phases too
public record Timeouts(Duration connect, Duration firstByte, Duration whole) {
    /// Bounds only the whole exchange.
    public static Timeouts whole(Duration whole) {
        return new Timeouts(whole, whole, whole);
    }
}
