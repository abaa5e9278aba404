package wallfinder.synthetic;

/// The retransmission time-out (RFC 6298). All connections lead to one host over one link, so they
/// share one estimate, as RFC 9040 allows.
final class Rto {
    private static final long INITIAL_NANOS = 1_000_000_000L;
    private static final long NANOS_MIN = 1_000_000_000L;
    private static final long NANOS_MAX = 60_000_000_000L;
    private static final int DOUBLINGS_MAX = 6;

    private boolean known;
    private long smoothedNanos;
    private long variationNanos;
    private long nanos = INITIAL_NANOS;

    /// Takes the time from a segment to its acknowledgement. The segment was sent only once.
    void sample(long roundTripNanos) {
        if (known) {
            long error = roundTripNanos - smoothedNanos;
            variationNanos += (Math.abs(error) - variationNanos) / 4;
            smoothedNanos += error / 8;
        } else {
            known = true;
            smoothedNanos = roundTripNanos;
            variationNanos = roundTripNanos / 2;
        }
        nanos = Math.clamp(smoothedNanos + 4 * variationNanos, NANOS_MIN, NANOS_MAX);
    }

    /// @param retries how often the segment was sent again
    long nanos(int retries) {
        return Math.min(nanos << Math.min(retries, DOUBLINGS_MAX), NANOS_MAX);
    }
}
