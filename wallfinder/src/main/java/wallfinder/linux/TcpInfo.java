package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What the kernel reports about a connection (`struct tcp_info`, linux/tcp.h).
final class TcpInfo {
    private static final int ACKNOWLEDGED_MILLIS_MAX = 250;

    /// A first request rarely has so many, and a log soon does.
    private static final int ONE_WAY_SEGMENTS_MIN = 100;

    /// `TCP_CA_Open`, linux/tcp.h: the connection has lost nothing.
    private static final byte OPEN = 0;

    private TcpInfo() {}

    /// Whether Nagle's algorithm holds back the last bytes of this end: they fill no segment, and
    /// an earlier segment is not acknowledged (`tcp_nagle_check`, net/ipv4/tcp_output.c). The path
    /// has room for them, and nothing is lost.
    ///
    /// @param info the offset of the structure
    static boolean heldBack(MemorySegment buffer, long info) {
        int unsent = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_NOTSENT_BYTES);
        int unacknowledged = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_UNACKED);
        return unsent > 0
                && unsent < buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_SND_MSS)
                && unacknowledged > 0
                && unacknowledged < buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_SND_CWND)
                && buffer.get(JAVA_BYTE, info + SockDiagLayouts.TCPI_CA_STATE) == OPEN;
    }

    /// Whether the connection waits for an answer: this end has sent data since it last received
    /// any. If both happened within one kernel tick of up to 10 ms, the last data was sent in one
    /// of three cases: the other end has not acknowledged it; or it acknowledged with a delayed ACK
    /// because it had nothing to send, within 200 ms (`TCP_DELACK_MAX`); or one more data segment
    /// went out than came in, for messages that fit into one segment. Otherwise the whole exchange
    /// took less than a tick, and the connection is idle. A connection on which nothing ever comes
    /// back, such as that to a collector of logs, waits for nothing.
    ///
    /// @param info the offset of the structure
    static boolean waits(MemorySegment buffer, long info) {
        if (isOneWay(buffer, info)) {
            return false;
        }
        int sent = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_DATA_SENT);
        int received = buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_DATA_RECV);
        int acknowledged =
                received - buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_LAST_ACK_RECV);
        return sent < received
                || buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_UNACKED) > 0
                || (sent == received && acknowledged > 0 && acknowledged < ACKNOWLEDGED_MILLIS_MAX)
                || (sent == received && oneMoreWentOut(buffer, info));
    }

    /// What the connection spent its time on, or null if this kernel does not report it (before
    /// Linux 5.4).
    ///
    /// @param end where the structure ends
    static @Nullable Sending sending(MemorySegment buffer, long info, long end, long sendBuffer) {
        return info + SockDiagLayouts.TCPI_SND_WND + Integer.BYTES > end
                ? null
                : new Sending(
                        buffer.get(JAVA_LONG_UNALIGNED, info + SockDiagLayouts.TCPI_BUSY_TIME),
                        buffer.get(JAVA_LONG_UNALIGNED, info + SockDiagLayouts.TCPI_RWND_LIMITED),
                        buffer.get(JAVA_LONG_UNALIGNED, info + SockDiagLayouts.TCPI_SNDBUF_LIMITED),
                        unsigned(buffer, info + SockDiagLayouts.TCPI_RTT),
                        unsigned(buffer, info + SockDiagLayouts.TCPI_MIN_RTT),
                        unsigned(buffer, info + SockDiagLayouts.TCPI_SND_WND),
                        sendBuffer);
    }

    private static long unsigned(MemorySegment buffer, long at) {
        return Integer.toUnsignedLong(buffer.get(JAVA_INT, at));
    }

    private static boolean isOneWay(MemorySegment buffer, long info) {
        return buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_IN) == 0
                && buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_OUT)
                        >= ONE_WAY_SEGMENTS_MIN;
    }

    private static boolean oneMoreWentOut(MemorySegment buffer, long info) {
        return buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_OUT)
                == buffer.get(JAVA_INT, info + SockDiagLayouts.TCPI_DATA_SEGS_IN) + 1;
    }
}
