package wallfinder.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Hosts without root, namespaces or io_uring.
@Tag("slow")
@Tag("sandbox")
@Timeout(180)
class RestrictedTest extends ProgramTest {
    private static final int REQUEST_MILLIS_MAX = 2_000;
    private static final long WORK_NANOS = 5_000_000;

    private static final List<String> NOBODY =
            List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--");

    @Test
    void without_root_and_namespaces_find_runs_on_the_loopback_and_says_so() throws Exception {
        int port = freePort();
        Path file = program.experiment(port, Integer.toString(port), "");
        Program.Ended ended =
                asNobody().run("find", file.toString(), "--json", json.toString()).measured();
        assertThat(ended.out()).contains("no-namespaces").contains("Ended: ");
        assertThat(Files.readString(json)).contains("\"isolation\" : \"host\"", "no-namespaces");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }

    /// As after a first run by root: its results belong to root.
    @Test
    void results_in_a_folder_of_another_user_are_refused_with_that_reason() throws Exception {
        String roots = Files.createDirectory(program.file("roots")).resolve("run").toString();
        asNobody()
                .run("find", program.experiment("").toString(), "--out", roots)
                .failed(3, "cannot be kept in", "this user may not write there", "--out");
    }

    @Test
    void without_root_the_script_makes_namespaces_of_the_users_own() throws Exception {
        inOwnNamespaces("find");
    }

    @Test
    @Tag("long")
    void without_root_the_trials_of_a_run_are_in_namespaces_of_the_users_own() throws Exception {
        inOwnNamespaces("run");
    }

    private void inOwnNamespaces(String command) throws Exception {
        assumeTrue(userNamespaces(), "this host has no user namespaces for user 65534");
        Path file = program.experiment("");
        Program.Ended ended =
                asNobody()
                        .startByScript(command, file.toString(), "--json", json.toString())
                        .end()
                        .measured();
        assertThat(ended.out()).doesNotContain("no-namespaces");
        assertThat(Files.readString(json))
                .contains("\"isolation\" : \"user-namespaces\"", "\"servicesRunAs\" : \"nobody\"");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }

    @Test
    void without_root_a_service_of_another_user_is_refused() throws Exception {
        assumeTrue(userNamespaces(), "this host has no user namespaces for user 65534");
        Path file = program.experiment("user: daemon");
        asNobody()
                .startByScript("find", file.toString())
                .end()
                .failed(3, "as the user daemon", "only root can start", "leave `user` out");
    }

    @ParameterizedTest
    @ValueSource(strings = {"find", "run"})
    void without_root_a_limit_that_needs_a_cgroup_is_refused(String command) throws Exception {
        assumeTrue(userNamespaces(), "this host has no user namespaces for user 65534");
        Path file = program.experiment("memory: 64m");
        asNobody()
                .startByScript(command, file.toString())
                .end()
                .failed(3, "the limits [memory] of web cannot be set", "leave the limits out");
    }

    @ParameterizedTest
    @CsvSource({
        "run, 'matrix: { web.memory: [64m, 96m] }'",
        "fit, 'fit: { step: 10m }'",
    })
    void without_root_the_limits_of_many_trials_are_refused_once(String command, String more)
            throws Exception {
        assumeTrue(userNamespaces(), "this host has no user namespaces for user 65534");
        Path file = program.experiment("memory: 64m");
        Files.writeString(
                file, more + "\nobjective: errors < 1%\nrepeat: 1\n", StandardOpenOption.APPEND);
        Program.Ended ended = asNobody().startByScript(command, file.toString()).end();
        ended.failed(3, "the limits [memory] of web cannot be set", "leave the limits out");
        assertThat(ended.err()).containsOnlyOnce("cannot be set");
    }

    @Test
    void the_full_queue_of_another_users_service_is_named() throws Exception {
        namesQueue(4, true);
    }

    @Test
    @Tag("long")
    void a_queue_of_another_users_service_that_is_not_full_is_not_named() throws Exception {
        namesQueue(1000, false);
    }

    /// The service belongs to root. It accepts a connection when it has answered the one before.
    private void namesQueue(int backlog, boolean full) throws Exception {
        try (ServerSocket slow = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> answerOneByOne(slow));
            String url = "http://127.0.0.1:" + slow.getLocalPort();
            Program.Ended ended =
                    asNobody()
                            .run("load", url, "-c64", "--no-keepalive", "-d5s", "--json=" + json)
                            .measured();
            String text = ended.out().replaceAll("\\s+", " ");
            assertThat(text)
                    .containsOnlyOnce("the process that listens")
                    .contains("this user may not read the descriptors");
            assertThat(text.contains("Wall: accept-queue, on the server")).isEqualTo(full);
        }
        assertThat(Program.schemaErrors(json)).isEmpty();
    }

    private static void answerOneByOne(ServerSocket server) {
        byte[] answer =
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                        .getBytes(US_ASCII);
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.setSoTimeout(REQUEST_MILLIS_MAX);
                if (client.getInputStream().read(new byte[1_024]) > 0) {
                    LockSupport.parkNanos(WORK_NANOS);
                    client.getOutputStream().write(answer);
                }
            } catch (IOException e) {
                // The client has given up, or the test is over.
            }
        }
    }

    @Test
    void without_io_uring_the_load_uses_epoll_and_says_so() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Ended ended =
                    withoutUring()
                            .run("load", server.url(), "-d", "300ms", "--json", json.toString())
                            .measured();
            assertThat(ended.out()).contains("epoll", "io_uring cannot be used");
            assertThat(Files.readString(json))
                    .contains("\"engine\" : \"epoll\"", "io_uring cannot be used");
            assertThat(Program.schemaErrors(json)).isEmpty();
        }
    }

    @Test
    void a_forbidden_io_uring_that_was_asked_for_is_an_error_with_its_reason() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            withoutUring()
                    .run("load", server.url(), "-d", "300ms", "--engine", "io_uring")
                    .failed(3, "io_uring was requested", "EPERM", "leave --engine");
            assertThat(program.runs()).isEmpty();
        }
    }

    private Program withoutUring() {
        assumeTrue(Files.exists(Path.of("/usr/bin/python3")), "python3 is not installed");
        Path script = Program.ROOT.resolve("wallfinder/src/test/resources/cli/forbid-io-uring.py");
        return program.under("/usr/bin/python3", script.toString());
    }

    /// Copies the built program to a folder that every user can read.
    private Program asNobody() throws IOException {
        Path home = program.file("home");
        for (String part : List.of("bin", "wallfinder/target/modules")) {
            Path to = Files.createDirectories(home.resolve(part));
            try (Stream<Path> files = Files.list(Program.ROOT.resolve(part))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        }
        Files.createFile(home.resolve("wallfinder/target/.built"));
        return program.from(home).under(NOBODY.toArray(String[]::new));
    }

    private static boolean userNamespaces() throws Exception {
        List<String> words =
                Stream.concat(NOBODY.stream(), Stream.of("unshare", "-Urn", "true")).toList();
        return new ProcessBuilder(words).start().waitFor() == 0;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
