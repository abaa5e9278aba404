package wallfinder.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// `load` of a server that breaks HTTP: it ends in time, counts each exchange as an error of its
/// kind, and describes what was seen.
@Tag("slow")
@Timeout(180)
class HostileServerTest {
    @TempDir private Path folder;

    /// What a server does with a connection that has sent a request.
    enum Does {
        GREETS {
            @Override
            void with(Socket socket) throws IOException {
                write(socket, "SSH-2.0-OpenSSH_9.2\r\n");
                awaitClient(socket);
            }
        },
        NOTHING {
            @Override
            void with(Socket socket) throws IOException {
                awaitClient(socket);
            }
        },
        CLOSES {
            @Override
            void with(Socket socket) {}
        },
        SENDS_HEADERS_FOR_EVER {
            @Override
            void with(Socket socket) throws IOException {
                write(socket, "HTTP/1.1 200 OK\r\n");
                while (true) {
                    write(socket, "X-Endless: header\r\n".repeat(100));
                }
            }
        },
        SENDS_A_BODY_FOR_EVER {
            @Override
            void with(Socket socket) throws IOException {
                write(socket, "HTTP/1.1 200 OK\r\n\r\n");
                while (true) {
                    write(socket, "body".repeat(100));
                }
            }
        };

        abstract void with(Socket socket) throws IOException;

        static void write(Socket socket, String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(US_ASCII));
        }

        static void awaitClient(Socket socket) throws IOException {
            while (socket.getInputStream().read() >= 0) {
                continue;
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GREETS, malformed, sends something other than an HTTP/1.1 answer",
        "SENDS_A_BODY_FOR_EVER, timeout, does not answer before the time-out",
    })
    void a_server_without_good_answers_is_counted_by_kind_and_described(
            Does does, String kind, String seen) throws Exception {
        isDescribed(does, kind, seen);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "NOTHING, timeout, does not answer before the time-out",
        "CLOSES, closed, closes accepted connections unanswered",
        "SENDS_HEADERS_FOR_EVER, malformed, sends something other than an HTTP/1.1 answer",
    })
    void other_servers_without_good_answers_are_counted_and_described(
            Does does, String kind, String seen) throws Exception {
        isDescribed(does, kind, seen);
    }

    private void isDescribed(Does does, String kind, String seen) throws Exception {
        Program program = new Program(folder);
        Path json = program.file("run.json");
        try (ServerSocket server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> accept(server, does));
            String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
            Program.Ended ended =
                    program.run(
                            "load",
                            url,
                            "-c",
                            "4",
                            "-d",
                            "1s",
                            "-T",
                            "500ms",
                            "--json",
                            json.toString());
            ended.measured();
            assertThat(ended.out()).contains("0 answered in ", kind).doesNotContain("{", "NaN");
            assertThat(ended.err()).doesNotContain("Exception");
            check(new ObjectMapper().readTree(Files.readString(json)), kind, ended, seen);
            assertThat(Program.schemaErrors(json)).isEmpty();
        }
        program.assertNothingLeft();
    }

    private static void check(JsonNode run, String kind, Program.Ended ended, String seen) {
        JsonNode trial = run.path("trials").path(0);
        assertThat(trial.path("load").path("requests").asLong()).isZero();
        assertThat(trial.path("load").path("errors").propertyNames()).containsExactly(kind);
        assertThat(trial.path("load").path("errors").path(kind).asLong()).isPositive();
        String verdict = trial.path("diagnosis").path("verdict").asString();
        // On a busy host the server may be slow for lack of CPU.
        if (kind.equals("timeout") && verdict.equals("named")) {
            assertThat(trial.path("diagnosis").path("wall").asString()).isIn("cpu", "cpu-steal");
            return;
        }
        assertThat(verdict).as(ended.out()).isIn("unnamed", "invalid");
        if (verdict.equals("unnamed")) {
            assertThat(ended.out()).contains("Stopped by no known wall: ", seen);
        }
    }

    private static void accept(ServerSocket server, Does does) {
        try {
            while (true) {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket, does));
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    /// One read takes the whole request, so the close sends no reset.
    private static void serve(Socket socket, Does does) {
        try (socket) {
            if (socket.getInputStream().read(new byte[8192]) > 0) {
                does.with(socket);
            }
        } catch (IOException e) {
            // The client closed.
        }
    }
}
