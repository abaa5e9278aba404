package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortsInUseTest {
    private static boolean isLocal(String source, String destination) throws Exception {
        InetSocketAddress to = new InetSocketAddress(InetAddress.getByName(destination), 8080);
        PortsInUse ports = new PortsInUse();
        ports.count(
                List.of(
                        new OpenPort(
                                1, InetAddress.getByName(source), to, PortsInUse.Use.CONNECTED)));
        return ports.isLocal(to);
    }

    /// A sidecar proxy connects to the address of its pod, from that address or from a loopback
    /// one.
    @Test
    void the_source_of_a_connection_shows_whether_it_leaves_the_namespace() throws Exception {
        assertThat(isLocal("127.0.0.1", "127.0.0.1")).isTrue();
        assertThat(isLocal("10.0.0.5", "10.0.0.5")).isTrue();
        assertThat(isLocal("127.0.0.6", "10.0.0.5")).isTrue();
        assertThat(isLocal("::1", "::1")).isTrue();
        assertThat(isLocal("fd00::5", "fd00::5")).isTrue();
        assertThat(isLocal("10.0.0.5", "10.0.0.7")).isFalse();
        assertThat(isLocal("fd00::5", "fd00::7")).isFalse();
    }
}
