package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Series like those of long measurements, generated from seeds.
class DriftTest {
    private static final int VALUES = 120;

    /// The number of series without a trend that are tried, of each kind.
    private static final int SEEDS = 2_000;

    private static final Counter DESCRIPTORS =
            ProcessFigure.DESCRIPTORS.of("web").at(End.SERVER, "test");

    private static double[] values(IntToDoubleFunction at) {
        double[] values = new double[VALUES];
        for (int i = 0; i < VALUES; i++) {
            values[i] = at.applyAsDouble(i);
        }
        return values;
    }

    private static long drifts(java.util.function.Function<Random, double[]> series) {
        long drifts = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            drifts += Trend.of(series.apply(new Random(seed))).isPresent() ? 1 : 0;
        }
        return drifts;
    }

    @Test
    void noise_has_no_trend() {
        assertThat(drifts(random -> values(i -> 1_000 + 50 * random.nextGaussian()))).isZero();
        assertThat(drifts(random -> values(i -> Math.round(2 + random.nextGaussian() / 2))))
                .isZero();
    }

    @Test
    void noise_that_remembers_has_no_trend() {
        assertThat(drifts(random -> remembering(random, 0.5))).isZero();
        // Noise with this long a memory resembles a drift, but hardly ever counts as one.
        assertThat(drifts(random -> remembering(random, 0.8))).isLessThan(SEEDS / 500);
    }

    private static double[] remembering(Random random, double part) {
        double[] last = {0};
        return values(i -> {
            last[0] = part * last[0] + random.nextGaussian();
            return 100 + last[0];
        });
    }

    @Test
    void a_rise_and_fall_has_no_trend() {
        assertThat(
                        drifts(random -> {
                            double period = 3 + 27 * random.nextDouble();
                            double start = period * random.nextDouble();
                            return values(i -> (start + i) % period + random.nextDouble() / 10);
                        }))
                .isZero();
    }

    @Test
    void a_figure_that_fills_or_changes_once_does_not_drift() {
        assertThat(
                        drifts(random -> {
                            double end = 5 + 15 * random.nextDouble();
                            return values(
                                    i -> 300 * (1 - Math.exp(-i / end)) + random.nextDouble());
                        }))
                .isZero();
        assertThat(
                        drifts(random -> {
                            int step = random.nextInt(VALUES);
                            return values(i -> (i < step ? 100 : 130) + random.nextGaussian());
                        }))
                .isZero();
    }

    @Test
    void growth_within_noise_is_found_with_its_slope() {
        for (int seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            double slope = (random.nextBoolean() ? 1 : -1) * (0.5 + random.nextDouble());
            Trend trend =
                    Trend.of(values(i -> 1_000 + slope * i + 10 * random.nextGaussian()))
                            .orElseThrow();
            assertThat(trend.slope()).isBetween(slope - 0.2, slope + 0.2);
        }
    }

    @Test
    void a_leak_in_steps_one_that_grows_faster_and_one_beneath_a_sawtooth_are_found() {
        assertThat(Trend.of(values(i -> 40 + i / 15))).isPresent();
        assertThat(Trend.of(values(i -> 40 + i * i / 100.0))).isPresent();
        assertThat(Trend.of(values(i -> 200 + 2 * i + i % 11 * 5))).isPresent();
    }

    /// Eight hours, with one sample kept every 10 s.
    private static Observation hours(IntToDoubleFunction descriptors, double hours) {
        int samples = 2_880;
        long[] nanos = new long[samples];
        double[] values = new double[samples];
        double[] requests = new double[samples];
        for (int i = 0; i < samples; i++) {
            nanos[i] = (long) (i * hours / samples * 3600e9);
            values[i] = descriptors.applyAsDouble(i);
            requests[i] = nanos[i] / 1e9 * 500;
        }
        Counter answered = LoadFigure.REQUESTS.at(End.CLIENT, "test");
        Timeline timeline =
                new Timeline(
                        nanos,
                        List.of(new Series(DESCRIPTORS, values), new Series(answered, requests)));
        SandboxFacts facts =
                new SandboxFacts(
                        "namespaces",
                        new TreeMap<>(),
                        new TreeMap<>(),
                        1,
                        1,
                        false,
                        Limits.NONE,
                        true,
                        List.of(),
                        List.of());
        return new Observation(new LoadOutcome.Unseen(hours * 3600), timeline, facts);
    }

    @Test
    void leaking_descriptors_are_reported_with_their_growth_in_an_hour() {
        Random random = new Random(7);
        Observation leaking =
                hours(i -> Math.round(1_010 + i * 98.4 / 2_880) + random.nextInt(3), 8);
        Drift drift = Drift.of(leaking).orElseThrow();
        assertThat(drift.buckets()).isEqualTo(120);
        assertThat(drift.found()).hasSize(1);
        assertThat(drift.found().getFirst().perHour()).isBetween(11.5, 13.0);
        assertThat(drift.found().getFirst().line())
                .matches("descriptors of web \\+12\\.\\d an hour \\(1,02\\d -> 1,1\\d\\d\\)");
        assertThat(Diagnosis.of(leaking).caveats())
                .extracting(Caveat::id)
                .contains("drift:server:process[web].descriptors");
    }

    @Test
    void descriptors_that_come_and_go_do_not_drift() {
        Random random = new Random(7);
        Observation steady = hours(i -> 1_000 + random.nextInt(200), 8);
        assertThat(Drift.of(steady).orElseThrow().found()).isEmpty();
    }

    @Test
    void a_run_of_minutes_is_too_short_for_a_drift() {
        assertThat(Drift.of(hours(i -> i, 0.16))).isEmpty();
        assertThat(Drift.of(hours(i -> i, 0.17))).isPresent();
    }

    @Test
    void a_figure_that_ends_with_its_program_does_not_drift() {
        Observation ended = hours(i -> i < 2_000 ? i : Double.NaN, 8);
        assertThat(Drift.of(ended).orElseThrow().found()).isEmpty();
    }
}
