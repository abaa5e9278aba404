package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;

/// A host whose programs have together as many files open as it allows. The service itself has
/// descriptors left.
class HostFilesTest {
    private static final String WALL = "file-descriptors";

    /// @param open at each instant; one value is the same at all of them
    private static Recorded host(double... open) {
        Recorded recorded =
                Recorded.healthy()
                        .level(ProcessFigure.DESCRIPTORS.of("users"), End.SERVER, 70)
                        .level(ProcessFigure.DESCRIPTOR_LIMIT.of("users"), End.SERVER, 640)
                        .level(EndFigure.HOST_FILES_LIMIT, End.SERVER, 10_000);
        return open.length == 1
                ? recorded.level(EndFigure.HOST_FILES, End.SERVER, open[0])
                : recorded.put(EndFigure.HOST_FILES, End.SERVER, open);
    }

    private static Recorded waiting(Recorded recorded, double... connections) {
        return recorded.put(ListenFigure.QUEUE.of(8080), End.SERVER, connections);
    }

    private static void assertNotNamed(Diagnosis diagnosis) {
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void a_host_with_all_its_files_open_is_named_if_requests_fail() {
        Recorded recorded = host(9_990).error("closed", 900);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the host had 9990 of its 10000 files open, nearly all of them in 100 % of the time",
                        "the service closed 900 connections without an answer");
        Wall wall = diagnosis.headline().wall();
        assertThat(wall.advice(diagnosis.headline(), recorded.observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.contains("fs.file-max=40000"));
        assertThat(RemedyTest.texts(recorded, Limits.NONE)).isEmpty();
    }

    @Test
    void a_host_with_files_left_or_a_service_that_does_not_fail_is_not_named() {
        assertThat(host(9_800).error("closed", 900).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
        assertThat(host(10_000).diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(waiting(host(10_000), 0, 44, 44).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// One failed request in 4,000 is no harm by itself.
    @Test
    void a_few_server_errors_are_enough() {
        Diagnosis diagnosis = host(10_000).error("status-5xx", 10).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("hostFiles.open", "status-5xx");
        assertNotNamed(host(10_000).error("closed", 10).diagnosed());
    }

    @Test
    void connections_that_wait_while_the_host_has_no_file_left_are_named() {
        Diagnosis diagnosis = waiting(host(10_000), 0, 44, 44).unanswered(44).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("hostFiles.open", "unanswered");
        assertNotNamed(waiting(host(10_000), 0, 0, 0).unanswered(44).diagnosed());
        assertNotNamed(waiting(host(10_000, 9_000, 9_000), 0, 44, 44).unanswered(44).diagnosed());
    }

    private static Recorded logged(Recorded recorded, double messages) {
        return recorded.grows(LogFigure.DESCRIPTOR_ERRORS.of("users"), End.SERVER, messages);
    }

    /// The service waits for a file before it answers, so it closes nothing.
    @Test
    void a_log_with_refusals_proves_it() {
        assertNotNamed(host(9_990).error("timeout", 900).diagnosed());
        assertNotNamed(logged(host(9_990), 0).error("timeout", 900).diagnosed());
        assertNotNamed(logged(host(9_800), 12).error("timeout", 900).diagnosed());
        Diagnosis diagnosis = logged(host(9_990), 12).error("timeout", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("the log of users has 12 messages that there are too many open files");
    }

    @Test
    void a_host_that_was_full_for_a_moment_is_not_named() {
        assertNotNamed(moments(1).diagnosed());
        Diagnosis diagnosis = moments(2).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .endsWith("nearly all of them in 18 % of the time");
    }

    /// @param full the number of readings, of eleven, at which the host has no file left
    private static Recorded moments(int full) {
        double[] open = new double[Recorded.SECONDS + 1];
        for (int i = 0; i < open.length; i++) {
            open[i] = i < full ? 10_000 : 5_000;
        }
        return host(open).everySecond().error("closed", 900);
    }

    @Test
    void connections_of_a_command_that_wait_are_named_too() {
        Recorded recorded = host(10_000).command().error("command", 900);
        assertThat(waiting(recorded, 0, 44, 44).diagnosed().wallId()).contains(WALL);
        assertNotNamed(waiting(recorded, 0, 0, 0).diagnosed());
    }

    @Test
    void without_a_client_it_is_named_if_connections_wait_most_of_the_time() {
        Diagnosis diagnosis = waiting(host(10_000), 0, 44, 44).diagnosedUnseen();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isNull();
        assertNotNamed(waiting(host(10_000), 0, 0, 44).diagnosedUnseen());
        assertNotNamed(host(10_000).diagnosedUnseen());
    }

    @Test
    void without_a_client_a_log_proves_it_if_the_host_is_full_most_of_the_time() {
        assertThat(logged(host(9_000, 10_000, 10_000), 12).diagnosedUnseen().wallId())
                .contains(WALL);
        Diagnosis seldom = logged(host(9_000, 9_000, 10_000), 12).diagnosedUnseen();
        assertThat(seldom.verdict()).isEqualTo(Verdict.NONE);
        assertThat(seldom.caveats())
                .extracting(Caveat::advice)
                .contains(
                        "the host had 10000 of its 10000 files open, nearly all of them in 33 % of the time, but in no more than 33 % of the time");
    }
}
