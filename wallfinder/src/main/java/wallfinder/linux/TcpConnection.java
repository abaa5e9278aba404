package wallfinder.linux;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A TCP connection as the kernel reports it.
///
/// @param high the first half of its address, IPv4 mapped into IPv6
/// @param low the second half
/// @param cookie the kernel's number of the socket, which no other socket gets
/// @param unread whether it is established, and the service has not read all received data
/// @param heldBack whether it is established, and Nagle's algorithm holds back its last bytes
/// @param sending null if this kernel does not report it
public record TcpConnection(
        long high,
        long low,
        int port,
        long cookie,
        boolean unread,
        boolean heldBack,
        @Nullable Sending sending) {
    /// The address and port of this end.
    public InetSocketAddress place() {
        return new InetSocketAddress(PortsInUse.address(high, low), port);
    }
}
