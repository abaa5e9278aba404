package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.lab.RecordedObservation;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;

/// Whether a limit was enough, judged from recorded observations of real services and from what a
/// start may show.
class FitJudgeTest {

    private static final EnvironmentException NOT_READY =
            new EnvironmentException("the service web did not get ready", "waited\n  for it", "");

    private static FitRecord.KnockOut judged(String recorded, boolean met) throws IOException {
        Observation seen = RecordedObservation.named(recorded).observation();
        String service =
                seen.facts().services().stream()
                        .map(SandboxFacts.ServiceFacts::name)
                        .findFirst()
                        .orElseThrow();
        RunRecord.Trial trial =
                new RunRecord.Trial(
                        recorded, new TreeMap<>(), seen, Diagnosis.of(seen), List.of(), met);
        return FitJudge.ofLoad(trial, new FitLife(service, seen.timeline()));
    }

    @ParameterizedTest
    @CsvSource({
        "memory-limit-go, memory-limit",
        "memory-limit-python, memory-limit",
        "memory-limit-jvm, memory-limit",
        "heap-pool, heap",
        "heap-cache, heap",
        "gc-garbage, gc",
        "page-cache-node, page-cache",
        "page-cache-python, page-cache",
    })
    void each_wall_of_memory_is_a_knock_out_of_its_kind_even_if_the_objective_is_met(
            String recorded, String kind) throws Exception {
        FitRecord.KnockOut knockOut = judged(recorded, true);
        assertThat(knockOut).isNotNull();
        assertThat(knockOut.kind().word()).isEqualTo(kind);
        assertThat(knockOut.evidence()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not-memory-limit-go",
                "not-memory-limit-python",
                "not-gc-garbage",
                "not-page-cache-node",
                "not-page-cache-python",
                "cpu-python",
            })
    void a_service_near_a_wall_of_memory_or_at_another_wall_is_ok_if_it_meets_the_objective(
            String recorded) throws Exception {
        assertThat(judged(recorded, true)).isNull();
    }

    /// The experiment has a second service, or its load command is a JVM.
    @Test
    void a_wall_of_another_program_is_no_knock_out() throws Exception {
        for (String recorded : List.of("heap-cache", "gc-garbage", "page-cache-python")) {
            Observation seen = RecordedObservation.named(recorded).observation();
            RunRecord.Trial trial =
                    new RunRecord.Trial(
                            recorded, new TreeMap<>(), seen, Diagnosis.of(seen), List.of(), true);
            assertThat(FitJudge.ofLoad(trial, new FitLife("another", seen.timeline()))).isNull();
        }
    }

    @Test
    void pauses_that_only_lengthen_the_tail_are_judged_by_the_objective() throws Exception {
        assertThat(judged("gc-cache", true)).isNull();
        assertThat(judged("gc-cache", false).kind().word()).isEqualTo("gc");
    }

    @Test
    void a_missed_objective_is_reported_with_the_wall_that_was_named() throws Exception {
        FitRecord.KnockOut knockOut = judged("cpu-python", false);
        assertThat(knockOut.kind().word()).isEqualTo("objective");
        assertThat(knockOut.evidence().getFirst()).contains("judged as cpu");
    }

    @Test
    void a_failed_start_is_judged_by_what_ended_or_delayed_it() {
        Key cgroup = CgroupFigure.OOM_KILLS.of("web");
        assertThat(started(Map.of(cgroup, 1.0)).kind().word()).isEqualTo("memory-limit");
        assertThat(started(Map.of(LogFigure.HEAP_ERRORS.of("web"), 2.0)).kind().word())
                .isEqualTo("heap");
        assertThat(started(Map.of(CgroupFigure.REFAULTS.of("web"), 5e4)).kind().word())
                .isEqualTo("page-cache");
        assertThat(
                        started(
                                        Map.of(
                                                ProcessFigure.CPU.of("web"),
                                                8.0,
                                                JvmFigure.COLLECTOR_CPU.of("web"),
                                                6.0))
                                .kind()
                                .word())
                .isEqualTo("gc");
        assertThat(started(Map.of(ProcessFigure.CPU.of("web"), 8.0)).kind().word())
                .isEqualTo("not-ready");
        FitRecord.KnockOut gone = started(Map.of(ProcessFigure.CPU.of("web"), Double.NaN));
        assertThat(gone.kind().word()).isEqualTo("ended");
        assertThat(gone.evidence().getFirst()).contains("waited | for it");
        assertThat(FitJudge.isCertain(gone)).isTrue();
    }

    /// A start of ten seconds, with these values of the counters at its end.
    private static FitRecord.KnockOut started(Map<Key, Double> ends) {
        List<Series> series = new ArrayList<>();
        ends.forEach((key, end) ->
                series.add(new Series(key.at(End.SERVER, "test"), new double[] {0, end})));
        Timeline timeline = new Timeline(new long[] {0, 10_000_000_000L}, series);
        return FitJudge.ofStart(NOT_READY, new FitLife("web", timeline));
    }
}
