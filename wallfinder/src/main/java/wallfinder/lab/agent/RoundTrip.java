package wallfinder.lab.agent;

/// One ping and its answer. Each time is that of a host's [System#nanoTime], which no setting of
/// the clock moves.
///
/// @param sentNanos and `backNanos` by this host, `receivedNanos` and `answeredNanos` by the other
record RoundTrip(long sentNanos, long receivedNanos, long answeredNanos, long backNanos) {
    /// The other host's clock minus ours, if both ways took the same time.
    double offsetNanos() {
        return ((double) (receivedNanos - sentNanos) + (answeredNanos - backNanos)) / 2;
    }

    /// The offset is wrong by at most this, however the time was divided between both ways.
    double boundNanos() {
        return Math.max(0, (double) (backNanos - sentNanos) - (answeredNanos - receivedNanos)) / 2;
    }

    double middleNanos() {
        return sentNanos + (backNanos - sentNanos) / 2.0;
    }
}
