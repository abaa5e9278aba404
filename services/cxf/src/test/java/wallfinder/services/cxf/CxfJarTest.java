package wallfinder.services.cxf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Runs the packaged jars, server and client, each in a process.
@Timeout(120)
class CxfJarTest {
    private static final Path JARS = Path.of(System.getProperty("service.jars", "target"));
    private static final Path OURS = Path.of(System.getProperty("java.home"), "bin/java");
    private static final Pattern LISTENING =
            Pattern.compile("cxf: listening on https?://127\\.0\\.0\\.1:(\\d+), backlog .*");

    /// The figures that an experiment reads in the client's output.
    private record Figures(long requests, long errors, double seconds, double rate) {
        static Figures of(String output) {
            return new Figures(
                    (long) last("requests: (\\d+)", output),
                    (long) last("errors: (\\d+)", output),
                    last("seconds: ([\\d.]+)", output),
                    last("requests/s: ([\\d.]+)", output));
        }
    }

    @Test
    void an_old_client_drives_a_new_server_over_tls_and_the_figures_add_up() throws Exception {
        Path old = oldest();
        try (Started server = Started.server(OURS, "--https", "--backlog=33")) {
            assertThat(server.listened()).contains("backlog 33, threads 200");
            if (Files.isExecutable(Path.of("/usr/bin/ss"))) {
                assertThat(output(new ProcessBuilder("ss", "-ltnH", "sport = :" + server.port())))
                        .matches("(?s)LISTEN +\\d+ +33 .*");
            }
            String url = "--url=https://127.0.0.1:" + server.port();
            String output =
                    output(client(old, "get", url, "--threads=4", "--time=1s", "--every=300ms"));
            Figures figures = Figures.of(output);
            assertThat(output)
                    .startsWith("cxf-client: GET ")
                    .containsSubsequence("\ncxf-client: counting\n", "\nso far: ");
            assertThat(figures.requests).isPositive();
            assertThat(figures.errors).isZero();
            // The client prints the rate to a tenth and the seconds to a thousandth.
            assertThat(figures.rate)
                    .isBetween(
                            figures.requests / (figures.seconds + 0.0005) - 0.051,
                            figures.requests / (figures.seconds - 0.0005) + 0.051);
            List<MatchResult> threads = all("thread \\d+: (\\d+) answered", output);
            assertThat(threads).hasSize(4);
            assertThat(threads.stream().mapToLong(thread -> Long.parseLong(thread.group(1))).sum())
                    .isEqualTo(figures.requests);
            assertThat(server.ended()).isEmpty();
        }
    }

    @Test
    void a_client_that_is_terminated_prints_its_figures() throws Exception {
        try (Started server = Started.server(oldest(), "--https=false")) {
            assertThat(server.listened()).contains("backlog of the JDK (50)");
            ProcessBuilder builder =
                    client(
                            OURS,
                            "post",
                            "--port=" + server.port(),
                            "--host=127.0.0.1",
                            "--time=60s",
                            "--every=50ms",
                            "--consume=read");
            Process client = builder.start();
            try (BufferedReader out = client.inputReader(UTF_8)) {
                String line = out.readLine();
                while (line != null && !line.matches("so far: requests: [1-9].*")) {
                    line = out.readLine();
                }
                client.toHandle().destroy();
                String rest = String.join("\n", out.lines().toList());
                assertThat(rest).contains("thread 1: ").contains("\nerrors: 0\n");
                assertThat(last("\nrequests: (\\d+)", rest)).isPositive();
                assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                client.destroyForcibly();
            }
        }
    }

    /// In a network namespace with two local ports, and without reuse of ports in TIME_WAIT.
    @Test
    void ports_that_run_out_are_counted_and_end_nothing() throws Exception {
        assumeTrue(
                new ProcessBuilder("unshare", "--map-root-user", "--net", "true").start().waitFor()
                        == 0,
                "this host gives no network namespaces");
        String script =
                """
                ip link set lo up
                echo 45000 45001 >/proc/sys/net/ipv4/ip_local_port_range
                echo 0 >/proc/sys/net/ipv4/tcp_tw_reuse
                "$0" -jar "$1/cxf.jar" --host=127.0.0.1 >"$1/no-port.log" 2>&1 &
                server=$!
                until grep -q listening "$1/no-port.log"; do kill -0 $server || exit; done
                "$0" -jar "$1/cxf-client.jar" --host=127.0.0.1 --threads=8 --count=400
                echo "ended with $?"
                kill $server
                """;
        String output =
                output(
                        new ProcessBuilder(
                                "unshare",
                                "--map-root-user",
                                "--net",
                                "sh",
                                "-c",
                                script,
                                OURS.toString(),
                                JARS.toString()));
        Figures figures = Figures.of(output);
        assertThat(figures.errors).as(output).isPositive();
        assertThat(figures.requests + figures.errors).isEqualTo(400);
        assertThat(last("connect-no-port: (\\d+)", output)).isEqualTo(figures.errors);
    }

    @Test
    void a_wrong_option_ends_with_the_usage_and_status_2() throws Exception {
        ProcessBuilder client = client(OURS, "--thread=1").redirectErrorStream(true);
        Process process = client.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(output).contains("unknown option --thread").contains(ClientOptions.USAGE);
    }

    /// A server that listens.
    private record Started(Process process, BufferedReader log, String listened)
            implements AutoCloseable {
        static Started server(Path java, String... options) throws IOException {
            List<String> words = new ArrayList<>(List.of(java.toString(), "-jar"));
            words.add(JARS.resolve("cxf.jar").toString());
            words.addAll(List.of("--host=127.0.0.1", "--port=0"));
            words.addAll(List.of(options));
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            BufferedReader log = process.inputReader(UTF_8);
            return new Started(process, log, String.valueOf(log.readLine()));
        }

        int port() {
            Matcher listening = LISTENING.matcher(listened);
            assertThat(listening.matches()).as("the only line of log: %s", listened).isTrue();
            return Integer.parseInt(listening.group(1));
        }

        /// Ends the server, which must stop at once.
        ///
        /// @return the lines that it has printed since it listened
        List<String> ended() {
            // Process.destroy would close the log before it is read; the handle does not.
            process.toHandle().destroy();
            List<String> output = log.lines().toList();
            process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
            return output;
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            log.close();
        }
    }

    private static ProcessBuilder client(Path java, String... options) {
        List<String> words = new ArrayList<>(List.of(java.toString(), "-jar"));
        words.add(JARS.resolve("cxf-client.jar").toString());
        words.addAll(List.of(options));
        return new ProcessBuilder(words);
    }

    private static String output(ProcessBuilder builder) throws Exception {
        Process process = builder.redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<MatchResult> all(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().toList();
    }

    private static double last(String pattern, String text) {
        List<MatchResult> found = all(pattern, text);
        assertThat(found).as("%s in %s", pattern, text).isNotEmpty();
        return Double.parseDouble(found.get(found.size() - 1).group(1));
    }

    /// The oldest JVM on this machine that can run the jars.
    private static Path oldest() throws IOException {
        Path usual = Path.of("/usr/lib/jvm");
        try (Stream<Path> homes = Files.isDirectory(usual) ? Files.list(usual) : Stream.of()) {
            return homes.filter(home -> release(home) >= 17)
                    .min((a, b) -> Integer.compare(release(a), release(b)))
                    .map(home -> home.resolve("bin/java"))
                    .orElse(OURS);
        }
    }

    /// The feature release in a JVM's `release` file; 0 if there is none.
    private static int release(Path home) {
        try {
            Matcher version =
                    Pattern.compile("JAVA_VERSION=\"(\\d+)")
                            .matcher(Files.readString(home.resolve("release")));
            return Files.isExecutable(home.resolve("bin/java")) && version.find()
                    ? Integer.parseInt(version.group(1))
                    : 0;
        } catch (IOException noJvm) {
            return 0;
        }
    }
}
