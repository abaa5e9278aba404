package wallfinder.load;

import org.HdrHistogram.Histogram;

/// What one engine thread counts of TLS since the mark.
final class TlsTally {
    final Histogram connectNanos = Tally.histogram();
    final Histogram handshakeNanos = Tally.histogram();
    long resumed;

    /// @param connect until the socket was connected
    /// @param handshake from then until a request could be sent
    void handshaken(long connect, long handshake, boolean again) {
        connectNanos.recordValue(Math.clamp(connect, 0, Tally.NANOS_MAX));
        handshakeNanos.recordValue(Math.clamp(handshake, 0, Tally.NANOS_MAX));
        resumed += again ? 1 : 0;
    }

    void mark() {
        connectNanos.reset();
        handshakeNanos.reset();
        resumed = 0;
    }
}
