package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Verdict;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;

/// Which trials at a memory limit count.
class FitTrialTest {
    private static final FitLife NOTHING_READ =
            new FitLife("web", new Timeline(new long[0], List.of()));

    /// What a reason contains.
    private static final Map<String, String> REASONS =
            Map.of("generator", "the load generator was the limit", "busy", "it was too slow");

    private enum Generator {
        FAST,
        LIMITED,
        STARVED
    }

    private static RunRecord.Trial trial(Generator generator, @Nullable Doubt doubt) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(10_000_000, 100);
        LoadOutcome load =
                SampleLoad.of(
                        8,
                        1,
                        100,
                        0,
                        times,
                        generator == Generator.STARVED ? SampleLoad.STARVED : SampleLoad.IDLE);
        List<Caveat> caveats =
                doubt == null ? List.of() : List.of(new Caveat.Raised(doubt, null, "advice"));
        Diagnosis diagnosis =
                generator == Generator.LIMITED
                        ? SimulatedTrials.invalid()
                        : new Diagnosis(Verdict.NONE, null, List.of(), List.of(), null, caveats);
        return SimulatedTrials.trial("trial", load, diagnosis, null);
    }

    private static @Nullable String discarded(
            FitRecord.KnockOut.@Nullable Kind kind, RunRecord.@Nullable Trial trial, FitLife life) {
        FitRecord.KnockOut knockOut = kind == null ? null : new FitRecord.KnockOut(kind, List.of());
        return new FitTrial("trial", 1 << 20, false, trial, life, knockOut, null, null).discarded();
    }

    private static void assertReason(@Nullable String reason, @Nullable String expected) {
        if (expected == null) {
            assertThat(reason).isNull();
        } else {
            assertThat(reason).contains(REASONS.get(expected));
        }
    }

    /// @param knockOut empty for a pass
    /// @param reason empty if the trial counts
    @ParameterizedTest
    @CsvSource({
        ", FAST, , ",
        ", FAST, BUSY_HOST, ",
        ", LIMITED, , generator",
        ", STARVED, , generator",
        "MEMORY_LIMIT, STARVED, BUSY_HOST, ",
        "HEAP, LIMITED, , ",
        "ENDED, STARVED, , ",
        "GC, FAST, , ",
        "GC, FAST, DRIFT, ",
        "GC, STARVED, BUSY_HOST, generator",
        "OBJECTIVE, LIMITED, , generator",
        "GC, FAST, BUSY_HOST, busy",
        "OBJECTIVE, FAST, NOISY_HOST, busy",
        "PAGE_CACHE, FAST, LOST_TICKS, busy",
    })
    void a_kill_always_counts_a_slow_trial_only_on_a_quiet_host_and_a_pass_only_under_its_load(
            FitRecord.KnockOut.@Nullable Kind knockOut,
            Generator generator,
            @Nullable Doubt doubt,
            @Nullable String reason) {
        assertReason(discarded(knockOut, trial(generator, doubt), NOTHING_READ), reason);
    }

    private static Series growing(Key key, double value) {
        return new Series(key.at(End.SERVER, "test"), new double[] {0, value});
    }

    /// The service uses half of one of two CPUs for two seconds.
    private static FitLife life(double othersSeconds) {
        List<Series> series =
                List.of(
                        growing(EndFigure.CPUS_BUSY, 1 + othersSeconds),
                        growing(EndFigure.CPUS_COUNT, 2),
                        growing(ProcessFigure.CPU.of("web"), 1));
        return new FitLife("web", new Timeline(new long[] {0, 2_000_000_000}, series));
    }

    /// A quarter of two CPUs is one second.
    @ParameterizedTest
    @CsvSource({
        "NOT_READY, 0.9, ",
        "NOT_READY, 1.1, busy",
        "MEMORY_LIMIT, 1.1, ",
    })
    void a_service_that_never_got_ready_counts_if_others_left_the_cpus_to_it(
            FitRecord.KnockOut.Kind knockOut, double othersSeconds, @Nullable String reason) {
        assertReason(discarded(knockOut, null, life(othersSeconds)), reason);
    }
}
