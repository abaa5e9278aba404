package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import org.junit.jupiter.api.Test;
import wallfinder.linux.SockDiag;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;

class TcpDestinationsTest {
    @Test
    void what_a_service_asks_of_itself_is_no_dependency() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = new ServerSocket(0, 20, loopback);
                Socket client = new Socket(loopback, server.getLocalPort())) {
            int port = client.getLocalPort();
            LocalPortRange range = new LocalPortRange(port, port, 0);
            String asked = DependencyFigure.CONNECTIONS.of("127.0.0.1:" + client.getPort()).text();
            try (PortsReader reader = new PortsReader(diag, range, End.SERVER)) {
                assertThat(Readings.inFull(reader)).containsEntry(asked, 1.0);
            }
            Set<Integer> own = Set.of(client.getPort());
            try (PortsReader reader = new PortsReader(diag, range, End.SERVER, own)) {
                assertThat(Readings.inFull(reader)).doesNotContainKey(asked);
            }
        }
    }
}
