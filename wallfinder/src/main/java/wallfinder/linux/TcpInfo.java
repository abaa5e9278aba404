package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/// What the kernel tells of a connection (`struct tcp_info`, linux/tcp.h).
final class TcpInfo {
    /// Times are in milliseconds, but counted in ticks of the kernel, of which a slow one takes 10.
    private static final int TICK_MILLIS_MAX = 10;

    private static final int ACKNOWLEDGED_MILLIS_MAX = 250;

    private TcpInfo() {}

    /// Whether something was sent since anything came back. Both may have happened in one tick of
    /// the kernel: then it was sent last if the other side has not acknowledged it, or did so by
    /// itself, as it does within 200 ms when it has nothing to say (`TCP_DELACK_MAX`), or if one
    /// message more went out than came in, where each fits into a segment.
    ///
    /// @param info where the structure begins
    static boolean waits(MemorySegment buffer, long info) {
        int sent = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_DATA_SENT);
        int received = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_DATA_RECV);
        int acknowledged =
                received - buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_ACK_RECV);
        return sent < received
                || buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_UNACKED) > 0
                || (sent == received && acknowledged > 0 && acknowledged < ACKNOWLEDGED_MILLIS_MAX)
                || (sent == received && (sent <= TICK_MILLIS_MAX || oneMoreWentOut(buffer, info)));
    }

    private static boolean oneMoreWentOut(MemorySegment buffer, long info) {
        return buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_OUT)
                == buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_IN) + 1;
    }
}
