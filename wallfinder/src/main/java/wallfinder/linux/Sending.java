package wallfinder.linux;

/// How a connection sends (`struct tcp_info`, linux/tcp.h). The kernel counts the times since the
/// connection was made (`tcp_get_info_chrono_stats`, net/ipv4/tcp.c).
///
/// @param busyMicros there was something to send, or something was not acknowledged
/// @param windowLimitedMicros part of it: the other end's window was used up
/// @param bufferLimitedMicros part of it: the send buffer was full, and all in it was sent
/// @param roundTripMicros smoothed
/// @param roundTripMicrosMin the shortest of the last minutes
/// @param windowBytes the window that the other end offered last
/// @param sendBufferBytes the limit of the send buffer, with the kernel's overhead
public record Sending(
        long busyMicros,
        long windowLimitedMicros,
        long bufferLimitedMicros,
        long roundTripMicros,
        long roundTripMicrosMin,
        long windowBytes,
        long sendBufferBytes) {}
