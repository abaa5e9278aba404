package wallfinder.services.echo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The packaged jar, both ends of it, as processes on real sockets.
@Timeout(120)
class EchoJarTest {
    private static final String LINE = "\\[(\\d+)] connections=(\\d+), messages=(\\d+)";

    @Test
    void both_ends_count_the_same_and_stop_when_they_are_told() throws Exception {
        String port = Integer.toString(freePorts(2));
        try (Program server = Program.started("127.0.0.1", port, "2", "64")) {
            server.line("listening on 127.0.0.1:" + port + "-");
            try (Program client =
                    Program.started(
                            "client", "127.0.0.1", port, "2", "50", "10000", "200", "50", "3000")) {
                server.line("connections=100, ");
                List<String> said = client.lastLines();
                assertThat(client.status()).as("%s", said).isZero();
                assertThat(said).allMatch(line -> line.matches(LINE));
                assertThat(said.getLast()).contains("connections=100,");
            }
            server.line("connections=0, messages=[1-9]\\d\\d");
            server.terminate();
            List<String> last = server.lastLines();
            assertThat(last.getLast()).matches(LINE);
            assertThat(server.status()).isEqualTo(128 + 15);
        }
    }

    @Test
    void a_message_larger_than_the_buffer_comes_back_whole_and_a_reset_harms_nobody()
            throws Exception {
        String port = Integer.toString(freePorts(1));
        try (Program server = Program.started("server", "127.0.0.1", port)) {
            server.line("listening on");
            try (Socket other = connected(port)) {
                reset(port);
                assertThat(echoed(other, "z".repeat(1_000))).isEqualTo("z".repeat(1_000));
            }
        }
    }

    @Test
    void a_listener_outlives_the_end_of_the_descriptors() throws Exception {
        String port = Integer.toString(freePorts(1));
        List<Socket> crowd = new ArrayList<>();
        try (Program server =
                Program.started(List.of("prlimit", "--nofile=64:64"), "127.0.0.1", port)) {
            server.line("listening on");
            for (int i = 0; i < 80; i++) {
                crowd.add(connected(port));
            }
            server.line("no connection accepted: Too many open files");
            for (Socket socket : crowd) {
                socket.close();
            }
            try (Socket late = connected(port)) {
                assertThat(echoed(late, "still there")).isEqualTo("still there");
                server.line("connections=1, ");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wrong | 0 was sent, and 16777216 came back",
                "half | the server closed after 2 bytes of an answer",
                "silent | nothing came for 500 ms",
                "gone | Connection refused"
            })
    void the_client_ends_at_the_first_fault(String fault, String told) throws Exception {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        String port = Integer.toString(listener.getLocalPort());
        if (fault.equals("gone")) {
            listener.close();
        } else {
            Thread.ofVirtual().start(() -> misbehave(listener, fault));
        }
        try (listener;
                Program client =
                        Program.started("client", "127.0.0.1", port, "1", "1", "500", "0")) {
            assertThat(client.lastLines())
                    .contains("echo client: connection 0 to port " + port + ": " + told);
            assertThat(client.status()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server 0.0.0.0 http | port must be a number from 0 to 65535, not 'http'",
                "server 0.0.0.0 65535 2 | portCount goes beyond port 65535",
                "client localhost 8000 1 1 1 1 1 1 9 | 8 arguments at most, not 9"
            })
    void a_wrong_argument_is_one_clear_error(String arguments, String told) throws Exception {
        try (Program program = Program.started(arguments.split(" "))) {
            assertThat(program.lastLines()).hasSize(2).first().asString().contains(told);
            assertThat(program.status()).isEqualTo(2);
        }
    }

    private static void misbehave(ServerSocket listener, String fault) {
        try (Socket connection = listener.accept()) {
            byte[] message = connection.getInputStream().readNBytes(4);
            switch (fault) {
                case "wrong" -> message[0] = 1;
                case "half" -> message = new byte[2];
                default -> message = new byte[0];
            }
            connection.getOutputStream().write(message);
            if (fault.equals("silent")) {
                connection.getInputStream().readAllBytes();
            }
        } catch (IOException ended) {
            // With the client.
        }
    }

    private static Socket connected(String port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)), 10_000);
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void reset(String port) throws IOException {
        try (Socket socket = connected(port)) {
            echoed(socket, "hello");
            socket.setSoLinger(true, 0);
        }
    }

    private static String echoed(Socket socket, String message) throws IOException {
        socket.getOutputStream().write(message.getBytes(US_ASCII));
        return new String(socket.getInputStream().readNBytes(message.length()), US_ASCII);
    }

    /// The first of so many ports in a row that nobody listens on, below those that the kernel
    /// gives out.
    private static int freePorts(int count) {
        int first = 20_000 + (int) (ProcessHandle.current().pid() % 4_000) * 2;
        while (true) {
            List<ServerSocket> taken = new ArrayList<>();
            try {
                for (int i = 0; i < count; i++) {
                    taken.add(new ServerSocket(first + i, 1, InetAddress.getByName("127.0.0.1")));
                }
                return first;
            } catch (IOException inUse) {
                first += count;
            } finally {
                taken.forEach(EchoJarTest::close);
            }
        }
    }

    private static void close(ServerSocket listener) {
        try {
            listener.close();
        } catch (IOException unused) {
            // It was never used.
        }
    }
}
