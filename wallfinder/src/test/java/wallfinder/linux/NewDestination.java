package wallfinder.linux;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/// A server at a port to which no other connection leads. A server of an earlier test may have had
/// the same port, with connections that are still in TIME_WAIT.
public final class NewDestination {
    private NewDestination() {}

    /// On the loopback address.
    public static ServerSocket listen(SockDiag diag, int backlog) throws IOException {
        PortsInUse ports = new PortsInUse();
        while (true) {
            ServerSocket server = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
            diag.portsInUse(1024, 65535, ports);
            if (ports.used((InetSocketAddress) server.getLocalSocketAddress()) == 0) {
                return server;
            }
            server.close();
        }
    }
}
