package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The program holds connections and reports their fates.
@Tag("slow")
@Timeout(180)
class HoldCommandTest extends ProgramTest {
    private static final Path MIRROR =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/mirror.py");

    @Test
    void connections_that_stay_alive_and_answer_right_are_exit_code_0() throws Exception {
        try (EchoPeer server = new EchoPeer(Long.MAX_VALUE)) {
            Program.Ended ended =
                    program.run(
                            "hold",
                            server.target(),
                            "-c",
                            "20",
                            "-d",
                            "1s",
                            "--interval",
                            "100ms",
                            "--hlog",
                            program.file("latency.hlog").toString(),
                            "--json",
                            json.toString());
            assertThat(ended.measured().out())
                    .contains(
                            "20 connections held",
                            "20 alive",
                            "sockets established: 20 on the server, 20 on the client; as many as",
                            "errors     none",
                            "Files: ");
            assertThat(Program.schemaErrors(json)).isEmpty();
            assertThat(Files.readString(json)).contains("\"alive\" : 20", "\"stateBytes\" : 32");
            assertThat(program.file("latency.hlog")).isNotEmptyFile();
        }
    }

    @Test
    void a_wrong_answer_is_exit_code_1() throws Exception {
        try (EchoPeer server = new EchoPeer(30)) {
            Program.Ended ended =
                    program.run(
                            "hold", server.target(), "-c", "5", "-d", "1s", "--interval", "50ms");
            assertThat(ended.done(1).out()).contains("corrupted", "The objective was MISSED");
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void an_interrupted_hold_prints_the_fate_of_each_connection(String signal, int code)
            throws Exception {
        try (EchoPeer server = new EchoPeer(Long.MAX_VALUE)) {
            Program.Started started =
                    program.start(
                            "hold", server.target(), "-c", "20", "-d", "10m", "--json", "" + json);
            Program.await(() -> server.echoed() > 20);
            Program.Ended ended = started.signalled(signal).done(code);
            assertThat(ended.out()).contains("20 alive", "Files: ");
            assertThat(Program.schemaErrors(json)).isEmpty();
        }
    }

    /// A real server in its own network namespace, and synthetic peers.
    @Tag("sandbox")
    @Test
    void synthetic_peers_fill_a_real_server_whose_kernel_counts_them() throws Exception {
        Process server =
                new ProcessBuilder(
                                "prlimit",
                                "--nofile=4096:4096",
                                "unshare",
                                "-n",
                                "python3",
                                MIRROR.toString(),
                                "--port",
                                "8000",
                                "--ports",
                                "2")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(server.inputReader().readLine()).isEqualTo("ready");
            Program.Ended ended =
                    program.under("nsenter", "-n", "-t", Long.toString(server.pid()))
                            .run(
                                    "hold",
                                    "tcp://198.51.100.1:8000-8001",
                                    "--synthetic",
                                    "-c",
                                    "2000",
                                    "-d",
                                    "2s",
                                    "--interval",
                                    "500ms",
                                    "--json",
                                    json.toString());
            assertThat(ended.measured().out())
                    .contains(
                            "2,000 connections held",
                            "2,000 alive",
                            "sockets established: 2,000 on the server; as many as are alive",
                            "errors     none");
            assertThat(Program.schemaErrors(json)).isEmpty();
            assertThat(Files.readString(json))
                    .contains("\"engine\" : \"synthetic\"", "\"established\" : 2000")
                    .doesNotContain("\"established\" : 0");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void a_target_without_a_listener_is_refused_before_the_run_folder_is_made() throws Exception {
        String target;
        try (EchoPeer server = new EchoPeer(0)) {
            target = server.target();
        }
        program.run("hold", target).failed(3, "nothing answers at " + target);
        program.run("hold", "http://127.0.0.1:1/").failed(2, "tcp://");
        assertThat(program.runs()).isEmpty();
    }

    /// Echoes `right` messages, and corrupts the others.
    static final class EchoPeer implements AutoCloseable {
        private final ServerSocket listener =
                new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        private final AtomicLong echoed = new AtomicLong();
        private final long right;

        EchoPeer(long right) throws IOException {
            this.right = right;
            Thread.ofPlatform().daemon().start(this::accept);
        }

        String target() {
            return "tcp://127.0.0.1:" + listener.getLocalPort();
        }

        long echoed() {
            return echoed.get();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listener.accept();
                    Thread.ofVirtual().start(() -> echo(socket));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private void echo(Socket socket) {
            byte[] bytes = new byte[64];
            try (socket) {
                for (int n = socket.getInputStream().read(bytes);
                        n > 0;
                        n = socket.getInputStream().read(bytes)) {
                    bytes[0] ^= (byte) (echoed.incrementAndGet() > right ? 1 : 0);
                    socket.getOutputStream().write(bytes, 0, n);
                }
            } catch (IOException e) {
                // The client closed.
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
