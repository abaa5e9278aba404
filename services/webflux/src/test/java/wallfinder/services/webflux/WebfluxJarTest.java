package wallfinder.services.webflux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs the packaged jar on every JVM of this machine that supports it.
@Timeout(120)
class WebfluxJarTest {
    private static final Pattern LISTENING =
            Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+), backlog 33, event loops 2, .*");

    @ParameterizedTest
    @MethodSource("jvms")
    void the_jar_serves_on_this_jvm_and_stops_at_sigterm(Path java) throws Exception {
        Process process =
                started(java, "--host=127.0.0.1", "--port=0", "--backlog=33", "--eventLoops=2");
        try (BufferedReader log = process.inputReader(UTF_8)) {
            String line = log.readLine();
            Matcher listening = LISTENING.matcher(String.valueOf(line));
            assertThat(listening.find()).as("the only line of log: %s", line).isTrue();
            Client client = Client.of(Integer.parseInt(listening.group(1)));
            assertThat(client.get("/users/1").body()).contains("user-1");
            // Process.destroy would close the log before it is read; the handle does not.
            process.toHandle().destroy();
            assertThat(log.readLine()).as("more log").isNull();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("stopped").isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void a_wrong_option_ends_with_the_usage_and_status_2() throws Exception {
        Process process =
                started(Path.of(System.getProperty("java.home"), "bin", "java"), "--pot=1");
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(output).contains("unknown option --pot").contains(Options.USAGE);
    }

    static List<Path> jvms() throws IOException {
        Path running = Path.of(System.getProperty("java.home")).toRealPath();
        Path usual = Path.of("/usr/lib/jvm");
        try (Stream<Path> installed = Files.isDirectory(usual) ? Files.list(usual) : Stream.of()) {
            return Stream.concat(
                            Stream.of(running),
                            installed.filter(Files::isDirectory).map(WebfluxJarTest::real))
                    .distinct()
                    .filter(home -> release(home) >= 17)
                    .map(home -> home.resolve("bin/java"))
                    .toList();
        }
    }

    private static Path real(Path home) {
        try {
            return home.toRealPath();
        } catch (IOException gone) {
            return home;
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

    private static Process started(Path java, String... options) throws IOException {
        String jar = System.getProperty("service.jar");
        Stream<String> command =
                Stream.concat(Stream.of(java.toString(), "-jar", jar), Stream.of(options));
        return new ProcessBuilder(command.toList()).redirectErrorStream(true).start();
    }
}
