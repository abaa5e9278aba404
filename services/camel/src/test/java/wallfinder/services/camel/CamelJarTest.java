package wallfinder.services.camel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs the packaged jar as a process.
@Timeout(180)
class CamelJarTest {
    private static final Pattern LISTENING =
            Pattern.compile(
                    "listening on 127\\.0\\.0\\.1:(\\d+), threads 3, backlog 33, connections 500, processors 8");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void the_requested_number_of_threads_answers_health_on_the_oldest_jvm() throws Exception {
        Process process =
                started(
                        oldestJvm(),
                        "--host=127.0.0.1",
                        "--port=0",
                        "--threads=3",
                        "--backlog=33",
                        "--connections=500",
                        "--processors=8");
        try (BufferedReader log = process.inputReader(UTF_8)) {
            String line = log.readLine();
            Matcher listening = LISTENING.matcher(String.valueOf(line));
            assertThat(listening.find()).as("the only line of log: %s", line).isTrue();
            String url = "http://127.0.0.1:" + listening.group(1);
            assertManyAnswersAtOnce(url + "/health");
            // Besides the workers, Tomcat has one thread that accepts and one that polls.
            assertThat(tomcatThreads(process)).isEqualTo(3 + 2);
            assertThat(asked(url + "/actuator/health").join().body()).contains("UP");
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("stopped").isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--pot=1",
                "--threads=0",
                "--host=example.org",
            })
    void a_wrong_option_ends_with_the_usage_and_status_2(String wrong) throws Exception {
        Process process = started(running(), wrong);
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(output.lines()).hasSize(2).last().isEqualTo(Options.USAGE);
        assertThat(output).contains(wrong.replaceFirst("=.*", ""));
    }

    private void assertManyAnswersAtOnce(String url) {
        List<CompletableFuture<HttpResponse<String>>> asked =
                IntStream.range(0, 50).mapToObj(i -> asked(url)).toList();
        for (CompletableFuture<HttpResponse<String>> health : asked) {
            HttpResponse<String> answer = health.join();
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"status\":\"UP\"}");
            assertThat(answer.headers().map())
                    .containsKey("content-type")
                    .doesNotContainKey("user-agent");
        }
    }

    private CompletableFuture<HttpResponse<String>> asked(String url) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    /// The kernel keeps the first 15 characters of a thread's name.
    private static long tomcatThreads(Process process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return threads.filter(thread -> name(thread).startsWith("http-nio-")).count();
        }
    }

    private static String name(Path thread) {
        try {
            return Files.readString(thread.resolve("comm"));
        } catch (IOException ended) {
            return "";
        }
    }

    private static Path running() {
        return Path.of(System.getProperty("java.home"));
    }

    /// The oldest JVM on this host that runs class files for Java 17.
    private static Path oldestJvm() throws IOException {
        Path usual = Path.of("/usr/lib/jvm");
        try (Stream<Path> installed = Files.isDirectory(usual) ? Files.list(usual) : Stream.of()) {
            return Stream.concat(installed, Stream.of(running()))
                    .filter(home -> release(home) >= 17)
                    .min(Comparator.comparingInt(CamelJarTest::release))
                    .orElseThrow();
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

    private static Process started(Path jvm, String... options) throws IOException {
        Stream<String> command =
                Stream.concat(
                        Stream.of(
                                jvm + "/bin/java",
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                System.getProperty("service.jar")),
                        Stream.of(options));
        return new ProcessBuilder(command.toList()).redirectErrorStream(true).start();
    }
}
