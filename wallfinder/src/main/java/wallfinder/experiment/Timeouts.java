package wallfinder.experiment;

import java.time.Duration;

/// The maximum times of an exchange and its phases.
///
/// @param connect from the connect call to the connection
/// @param firstByte from sending the request to the first byte of the answer
/// @param whole from the start of the exchange, its connect included, to its last byte; it bounds
///   the phases too
public record Timeouts(Duration connect, Duration firstByte, Duration whole) {
    /// The longest time that the histograms hold.
    public static final Duration MAX = Duration.ofMinutes(10);

    public Timeouts {
        check(connect);
        check(firstByte);
        check(whole);
    }

    static void check(Duration timeout) {
        if (timeout.compareTo(MAX) > 0) {
            throw new UsageException(
                    "a time-out of " + timeout.toSeconds() + " s cannot be used",
                    "it is longer than 10 minutes",
                    "write at most 10m");
        }
    }

    /// Bounds only the whole exchange.
    public static Timeouts whole(Duration whole) {
        return new Timeouts(whole, whole, whole);
    }
}
