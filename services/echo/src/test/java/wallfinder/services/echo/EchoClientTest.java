package wallfinder.services.echo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Runs the packaged jar as a client, and checks its arguments.
@Timeout(120)
class EchoClientTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wrong | 0 was sent, and 16777216 came back",
                "half | the server closed after 2 bytes of an answer",
                "silent | nothing came for 500 ms",
                "gone | Connection refused"
            })
    void the_client_ends_at_the_first_fault(String fault, String message) throws Exception {
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
                    .contains("echo client: connection 0 to port " + port + ": " + message);
            assertThat(client.status()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server 0.0.0.0 http | port must be a number from 0 to 65535, not 'http'",
                "server 0.0.0.0 65535 2 | portCount goes beyond port 65535",
                "server --mode=fat | --mode is one of [plain, lean, raw], not 'fat'",
                "server --lops=3 | unknown option --lops",
                "server --gather=1000000 | --gather must be a number from 0 to 999999, not '1000000'",
                "--loops 3 | --loops needs a value, --loops=…",
                "client --mode=lean localhost | unknown option --mode",
                "client localhost 8000 1 1 1 1 1 1 9 | 8 arguments at most, not 9"
            })
    void a_wrong_argument_is_one_clear_error(String arguments, String message) throws Exception {
        try (Program program = Program.started(arguments.split(" "))) {
            assertThat(program.lastLines()).hasSize(2).first().asString().contains(message);
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
            // The client has ended.
        }
    }
}
