package wallfinder.junit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kills the JVM of a test while the program measures.
@Tag("slow")
class KilledTest {
    private static final Duration MEASURED = Duration.ofMinutes(3);
    private static final int BEGIN_MAX_SECONDS = 90;

    /// Much less than the measurement would take.
    private static final int END_MAX_SECONDS = 60;

    @TempDir private Path folder;

    @Test
    void the_program_ends_when_the_jvm_of_the_test_is_killed() throws Exception {
        try (SmallServer server = new SmallServer();
                WatchService watch = FileSystems.getDefault().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            Process test = start(server.url());
            try (BufferedReader output = test.inputReader(UTF_8)) {
                assertThat(output.readLine()).isEqualTo("starts");
                awaitBegin(watch);
                ProcessHandle program = test.descendants().findFirst().orElseThrow();
                try {
                    test.destroyForcibly().waitFor();
                    program.onExit().get(END_MAX_SECONDS, TimeUnit.SECONDS);
                    assertThat(program.isAlive()).isFalse();
                } finally {
                    program.destroy();
                }
            } finally {
                test.destroyForcibly();
            }
        }
    }

    private void awaitBegin(WatchService watch) throws InterruptedException {
        while (!Files.exists(folder.resolve("run"))) {
            var event = watch.poll(BEGIN_MAX_SECONDS, TimeUnit.SECONDS);
            assertThat(event).as("the run's folder").isNotNull();
            event.pollEvents();
            event.reset();
        }
    }

    private Process start(String url) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Measures.class.getName(),
                        System.getProperty("wallfinder.command"),
                        url,
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /// The JVM that is killed.
    static final class Measures {
        private Measures() {}

        public static void main(String[] arguments) {
            System.out.println("starts");
            Path folder = Path.of(arguments[2]);
            ProgramRun.run(
                    Path.of(arguments[0]),
                    List.of(
                            "load",
                            arguments[1],
                            "--duration",
                            MEASURED.toSeconds() + "s",
                            "--quiet",
                            "--out",
                            folder.resolve("run").toString()),
                    folder.resolve("run"),
                    folder.resolve("log"),
                    MEASURED);
        }
    }
}
