package wallfinder.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.junit.Tests.result;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.EventType;
import org.junit.platform.testkit.engine.Events;

/// Runs tests that measure a real server with the real program, and looks at what JUnit reports.
@Tag("slow")
class LoadTestTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private static SmallServer server;

    @TempDir private Path folder;

    @BeforeAll
    static void start() {
        server = new SmallServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_test_that_holds_passes_and_its_report_has_the_page() {
        Events events = run("passes");
        // On a starved machine the measurement is invalid, and the test aborted.
        assertThat(result(events).getStatus()).isNotEqualTo(Status.FAILED);
        Path published =
                events.filter(event -> event.getType() == EventType.FILE_ENTRY_PUBLISHED)
                        .map(Event::getPayload)
                        .map(entry -> entry.orElseThrow())
                        .map(FileEntry.class::cast)
                        .map(entry -> entry.getPath())
                        .findFirst()
                        .orElseThrow();
        assertThat(published.resolve("1-load/report.html")).isNotEmptyFile();
        assertThat(published.resolve("1-load/run.json")).isNotEmptyFile();
    }

    @Test
    void a_missed_objective_fails_with_the_wall_and_the_page() {
        TestExecutionResult result = result(run("misses"));
        assertThat(result.getStatus()).isNotEqualTo(Status.SUCCESSFUL);
        assertThat(result.getThrowable().orElseThrow())
                .hasMessageContaining("  wall:  ")
                .hasMessageContaining("  measured:  ")
                .hasMessageContaining("report.html");
    }

    @Test
    void an_assertion_that_fails_reports_what_was_measured_and_stays_as_it_is() {
        TestExecutionResult result = result(run("asserts"));
        assertThat(result.getStatus()).isEqualTo(Status.FAILED);
        Throwable failure = result.getThrowable().orElseThrow();
        assertThat(failure).hasMessage("ours");
        assertThat(failure.getSuppressed()[0])
                .hasMessageContaining("good answers/s")
                .hasMessageContaining("report.html");
    }

    @Test
    void a_generator_without_descriptors_aborts_the_test_with_the_reason() throws Exception {
        TestExecutionResult result = result(run("starves", "wallfinder.command", starving()));
        assertThat(result.getStatus()).isEqualTo(Status.ABORTED);
        assertThat(result.getThrowable().orElseThrow())
                .hasMessageContaining("the generator was the limit");
    }

    @Test
    void an_objective_that_cannot_be_read_fails_with_the_program_s_own_words() {
        TestExecutionResult result = result(run("mistypes"));
        assertThat(result.getStatus()).isEqualTo(Status.FAILED);
        assertThat(result.getThrowable().orElseThrow())
                .isInstanceOf(WallfinderException.class)
                .hasMessageContaining("exit code 2")
                .hasMessageContaining("there is no metric 'p98'")
                .hasMessageContaining("what to do");
    }

    @Test
    void a_measurement_that_takes_too_long_is_stopped() {
        TestExecutionResult result = result(run("takes_long"));
        assertThat(result.getStatus()).isEqualTo(Status.FAILED);
        assertThat(result.getThrowable().orElseThrow())
                .hasMessageContaining("took longer than 1 s");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    @Tag("sandbox")
    @Tag("long")
    void an_experiment_is_found_by_its_text() {
        Events events = run("finds");
        assertThat(result(events).getThrowable()).isEmpty();
    }

    /// A program that starts Wallfinder with few descriptors.
    private String starving() throws Exception {
        String wallfinder = System.getProperty("wallfinder.command");
        return new Tests(Measures.class, folder)
                .program("ulimit -n 200; exec '%s' \"$@\"".formatted(wallfinder));
    }

    private Events run(String method, String... configuration) {
        return new Tests(Measures.class, folder).run(method, configuration);
    }

    /// The tests that are run. The build does not run a nested class by itself.
    static class Measures {
        @LoadTest
        void passes(Wallfinder wallfinder) {
            LoadResult result = load(wallfinder).rate(20).objective("rate > 5, errors < 50%").run();
            assertThat(result.errors()).isEmpty();
            assertThat(result.response().p50()).isGreaterThan(Duration.ofMillis(19));
        }

        @LoadTest
        void misses(Wallfinder wallfinder) {
            load(wallfinder).connections(8).objective("p50 < 1ms").run();
        }

        @LoadTest
        void asserts(Wallfinder wallfinder) {
            load(wallfinder).connections(8).whenInvalid(WhenInvalid.RETURN).run();
            Assertions.fail("ours");
        }

        @LoadTest
        void starves(Wallfinder wallfinder) {
            load(wallfinder).connections(400).run();
        }

        @LoadTest
        void mistypes(Wallfinder wallfinder) {
            load(wallfinder).objective("p98 < 1ms").run();
        }

        @LoadTest
        void takes_long(Wallfinder wallfinder) {
            load(wallfinder).duration(Duration.ofMinutes(2)).timeout(SHORT).run();
        }

        @LoadTest
        void finds(Wallfinder wallfinder) {
            Path experiment =
                    wallfinder.experiment(
                            """
                            services:
                              web:
                                command: "python3 -m http.server 8080 --bind {server}"
                                cpus: 0.2
                                ready: http://{server}:8080/
                            load: { url: "http://{server}:8080/", connections: 8, duration: 1s }
                            """);
            FindResult found = wallfinder.find(experiment).whenInvalid(WhenInvalid.RETURN).run();
            assertThat(found.ladder()).isNotEmpty();
            assertThat(found.run().ended()).isNotEmpty();
        }

        private static Measurement<LoadResult> load(Wallfinder wallfinder) {
            return wallfinder.load(server.url()).duration(SHORT);
        }
    }
}
