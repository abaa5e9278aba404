package wallfinder.sampling;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import wallfinder.StartedProcesses;

@Timeout(60)
class ListenersTest {
    /// A program with the name of systemd. It opens a socket, prints the port, and starts the
    /// service after a line of input. Its service ends with it.
    private static final String SYSTEMD =
            """
            import ctypes, os, socket, sys
            listener = socket.create_server(("127.0.0.1", 0))
            ctypes.CDLL(None).prctl(15, b"systemd")
            print(listener.getsockname()[1], flush=True)
            sys.stdin.readline()
            gone, held = os.pipe()
            service = os.fork()
            if service == 0:
                os.close(held)
                ctypes.CDLL(None).prctl(15, b"service")
                print(os.getpid(), flush=True)
                os.read(gone, 1)
            else:
                sys.stdin.readline()
            """;

    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    @Test
    void the_owner_of_a_socket_that_systemd_opened_is_the_service() throws IOException {
        Process systemd = started.add(new ProcessBuilder("python3", "-c", SYSTEMD).start());
        var output = systemd.inputReader();
        int port = Integer.parseInt(output.readLine());
        assertThat(Listeners.ownerOf(port))
                .isInstanceOfSatisfying(
                        Listeners.Owner.Unknown.class,
                        unknown ->
                                assertThat(unknown.reason())
                                        .contains("systemd", "send a request first"));
        systemd.getOutputStream().write("start\n".getBytes(US_ASCII));
        systemd.getOutputStream().flush();
        int service = Integer.parseInt(output.readLine());
        assertThat(Listeners.ownerOf(port))
                .isInstanceOfSatisfying(
                        Listeners.Owner.Found.class,
                        found -> assertThat(found.pid()).isEqualTo(service));
        assertThat(Listeners.acceptorsOf(port)).isEqualTo(List.of(service));
    }
}
