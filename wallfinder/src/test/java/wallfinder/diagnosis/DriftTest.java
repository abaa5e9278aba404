package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.SendFigure;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;
import wallfinder.observation.Timeline;
import wallfinder.observation.WaitFigure;

/// Series like those of long measurements, generated from seeds.
class DriftTest {
    private static final int VALUES = 120;

    /// The number of series without a trend that are tried, of each kind.
    private static final int SEEDS = 2_000;

    private static final int SAMPLES = 2_880;
    private static final double MB = 1 << 20;

    private static final Counter DESCRIPTORS =
            ProcessFigure.DESCRIPTORS.of("web").at(End.SERVER, "test");
    private static final Counter ANSWERED = LoadFigure.REQUESTS.at(End.CLIENT, "test");
    private static final LoadOutcome UNSEEN = new LoadOutcome.Unseen(8 * 3600);

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

    /// Eight hours have one sample every 10 s.
    private static Observation hours(IntToDoubleFunction descriptors, double hours) {
        return seen(
                new LoadOutcome.Unseen(hours * 3600),
                "namespaces",
                hours,
                List.of(
                        new Growing(DESCRIPTORS, descriptors),
                        new Growing(ANSWERED, i -> i * hours / SAMPLES * 3600 * 500)));
    }

    /// @param at its value at a sample
    private record Growing(Counter counter, IntToDoubleFunction at) {}

    private static Observation seen(
            LoadOutcome load, String isolation, double hours, List<Growing> figures) {
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            nanos[i] = (long) (i * hours / SAMPLES * 3600e9);
        }
        List<Series> series =
                figures.stream()
                        .map(figure ->
                                new Series(
                                        figure.counter(),
                                        IntStream.range(0, SAMPLES)
                                                .mapToDouble(figure.at()::applyAsDouble)
                                                .toArray()))
                        .toList();
        SandboxFacts facts =
                new SandboxFacts(
                        isolation,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        1,
                        1,
                        false,
                        Limits.NONE,
                        true,
                        List.of(),
                        List.of());
        return new Observation(load, new Timeline(nanos, series), facts);
    }

    private static List<String> lines(LoadOutcome load, String isolation, Growing... figures) {
        return Drift.of(seen(load, isolation, 8, List.of(figures))).orElseThrow().found().stream()
                .map(found -> found.line().replaceAll(" an hour.*", " an hour"))
                .toList();
    }

    /// Each grows by a half in eight hours.
    private static Growing half(Counter counter, double from) {
        return new Growing(counter, i -> from * (1 + 0.5 * i / SAMPLES));
    }

    @Test
    void each_level_of_a_program_and_of_its_sockets_may_drift() {
        assertThat(
                        lines(
                                UNSEEN,
                                "namespaces",
                                half(ProcessFigure.THREADS.of("web").at(End.SERVER, "test"), 100),
                                half(ProcessFigure.RSS.of("web").at(End.SERVER, "test"), 80 << 20),
                                half(
                                        JvmFigure.HEAP_USED.of("web").at(End.SERVER, "test"),
                                        40 << 20),
                                half(KernelCounter.TIME_WAIT.at(End.CLIENT, "test"), 800),
                                half(KernelCounter.TCP_IN_USE.at(End.SERVER, "test"), 400)))
                .containsExactly(
                        "threads of web +6.25 an hour",
                        "memory (RSS) of web +5.00 MB an hour",
                        "heap after collections of web +2.50 MB an hour",
                        "connections in TIME_WAIT at the client +50.0 an hour",
                        "TCP sockets in use at the server +25.0 an hour");
    }

    @Test
    void the_counters_of_a_whole_host_and_other_figures_do_not_count() {
        assertThat(
                        lines(
                                UNSEEN,
                                "host",
                                half(KernelCounter.TIME_WAIT.at(End.CLIENT, "test"), 800),
                                half(KernelCounter.TCP_IN_USE.at(End.SERVER, "test"), 400)))
                .isEmpty();
        assertThat(
                        lines(
                                UNSEEN,
                                "namespaces",
                                half(ProcessFigure.CPU.of("web").at(End.SERVER, "test"), 100),
                                half(
                                        JvmFigure.HEAP_MAX.of("web").at(End.SERVER, "test"),
                                        40 << 20)))
                .isEmpty();
    }

    /// Each has its own place in the report, or is what others do.
    static List<Key> otherFigures() {
        return List.of(
                LogFigure.THREAD_ERRORS.of("web"),
                FailureFigure.COUNT.of("web"),
                ResponseFigure.COUNT.of("web"),
                CgroupFigure.MEMORY.of("web"),
                ListenFigure.QUEUED.of(8080),
                SendFigure.BUSY.of("8080"),
                PortsFigure.USED.of("busiest"),
                DependencyFigure.CONNECTIONS.of("10.0.0.7:5432"),
                LinkFigure.SENT.of("eth0"),
                ShaperFigure.BACKLOG.of("eth0 tbf 8001:"),
                WaitFigure.LOCK.of("web"),
                EndFigure.HOST_FILES,
                LoadFigure.GENERATOR_CPU,
                new Key.Derived("unanswered"));
    }

    @ParameterizedTest
    @MethodSource("otherFigures")
    void a_figure_that_follows_from_the_load_or_from_others_does_not_drift(Key key) {
        assertThat(said(grown(key, 80 * MB, 40 * MB))).isEmpty();
    }

    /// The rate falls from 500 to 260 a second, and the answers take longer, from 1 to 2 ms.
    @Test
    void a_rate_and_a_response_time_may_drift() {
        Growing answers = new Growing(ANSWERED, i -> 5_000.0 * i * (1 - 0.24 * i / SAMPLES));
        Growing micros =
                new Growing(
                        LoadFigure.RESPONSE_MICROS_SUM.at(End.CLIENT, "test"),
                        i -> 1_000 * answers.at().applyAsDouble(i) * (1 + 0.3 * i / SAMPLES));
        assertThat(lines(UNSEEN, "namespaces", answers, micros))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).startsWith("answers a second -30.0 an hour"))
                .anySatisfy(line -> assertThat(line).startsWith("mean response time +0."));
        assertThat(lines(UNSEEN, "namespaces", micros)).isEmpty();
    }

    @Test
    void the_packets_of_a_load_command_show_its_rate() {
        Growing slower =
                new Growing(
                        KernelCounter.IN_SEGMENTS.at(End.CLIENT, "test"),
                        i -> 5_000.0 * i * (1 - 0.24 * i / SAMPLES));
        LoadOutcome command = new LoadOutcome.Command(8 * 3600, 1, 0, new TreeMap<>(), 0);
        assertThat(lines(command, "namespaces", slower))
                .singleElement()
                .asString()
                .startsWith("segments a second received by the client -30.0 an hour");
        assertThat(lines(UNSEEN, "namespaces", slower)).isEmpty();
    }

    @Test
    void a_load_that_changes_shows_no_drift() {
        Growing growing = half(DESCRIPTORS, 1_000);
        assertThat(Drift.of(seen(stages(100, 100), "namespaces", 8, List.of(growing)))).isPresent();
        assertThat(Drift.of(seen(stages(100, 200), "namespaces", 8, List.of(growing)))).isEmpty();
    }

    private static LoadOutcome stages(double first, double second) {
        Duration each = Duration.ofHours(4);
        return open(new Arrival.Stage(each, first, first), new Arrival.Stage(each, second, second));
    }

    private static LoadOutcome open(Arrival.Stage... each) {
        Arrival.Open stages = new Arrival.Stages(List.of(each));
        Histogram times = new Histogram(3);
        times.recordValue(1_000_000);
        return SampleLoad.open(
                8 * 3600,
                1,
                new LoadOutcome.Times(times, times, times),
                new LoadOutcome.Loop.Open(stages, 0, times, times));
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

    /// A figure that grows steadily in eight hours. The first tenth does not count.
    private static Growing grown(Key key, double from, double by) {
        return new Growing(key.at(End.SERVER, "test"), i -> from + by * i / SAMPLES);
    }

    private static List<String> said(Growing... figures) {
        return Drift.of(seen(UNSEEN, "namespaces", 8, List.of(figures)))
                .orElseThrow()
                .found()
                .stream()
                .map(Drift.Found::line)
                .toList();
    }

    @Test
    void a_drift_has_its_rate_and_both_ends_in_one_unit() {
        assertThat(
                        said(
                                grown(ProcessFigure.DESCRIPTORS.of("web"), 1_000, 96),
                                grown(ProcessFigure.DESCRIPTORS.of("db"), 2_000, -960),
                                grown(ProcessFigure.RSS.of("web"), 80 * MB, 40 * MB),
                                new Growing(ANSWERED, i -> 5_000.0 * i),
                                new Growing(
                                        LoadFigure.RESPONSE_MICROS_SUM.at(End.CLIENT, "test"),
                                        i -> 5e6 * i * (1 + 0.5 * i / SAMPLES))))
                .containsExactly(
                        "descriptors of web +12.0 an hour (1,010 -> 1,096)",
                        "descriptors of db -120.0 an hour (1,901 -> 1,044)",
                        "memory (RSS) of web +5.00 MB an hour (84.1 -> 119.8 MB)",
                        "mean response time +0.13 ms an hour (1.10 -> 2.00 ms)");
    }

    /// @param counts the smallest of three changes that counts
    private record Small(Key key, double from, double unit, double ignored, double counts) {}

    /// The change must matter by itself and as a share of the figure.
    static List<Small> smallChanges() {
        return List.of(
                new Small(ProcessFigure.DESCRIPTORS.of("web"), 10_000, 1, 5, 6),
                new Small(ProcessFigure.THREADS.of("web"), 20, 1, 4, 5),
                new Small(ProcessFigure.THREADS.of("web"), 1_000, 1, 20, 25),
                new Small(ProcessFigure.RSS.of("web"), 20, MB, 2, 2.5),
                new Small(ProcessFigure.RSS.of("web"), 200, MB, 6, 8),
                new Small(JvmFigure.HEAP_USED.of("web"), 20, MB, 2, 2.5),
                new Small(JvmFigure.HEAP_USED.of("web"), 200, MB, 6, 8),
                new Small(KernelCounter.TIME_WAIT, 200, 1, 50, 60),
                new Small(KernelCounter.TIME_WAIT, 2_000, 1, 200, 260),
                new Small(KernelCounter.TCP_IN_USE, 50, 1, 5, 6),
                new Small(KernelCounter.TCP_IN_USE, 1_000, 1, 20, 25));
    }

    @ParameterizedTest
    @MethodSource("smallChanges")
    void a_change_that_hardly_matters_is_no_drift(Small one) {
        double from = one.from() * one.unit();
        for (double sign : new double[] {-1, 1}) {
            assertThat(said(grown(one.key(), from, sign * one.ignored() * one.unit()))).isEmpty();
            assertThat(said(grown(one.key(), from, sign * one.counts() * one.unit()))).hasSize(1);
        }
    }

    /// @param share the share by which the rate changes in eight hours
    private static Growing answersChangingBy(double share) {
        return new Growing(ANSWERED, i -> 5_000.0 * i * (1 + share / 2 * i / SAMPLES));
    }

    @Test
    void a_rate_drifts_from_a_change_of_a_tenth_on() {
        assertThat(said(answersChangingBy(-0.08))).isEmpty();
        assertThat(said(answersChangingBy(-0.13)))
                .singleElement()
                .asString()
                .startsWith("answers a second -8.1");
    }

    @Test
    void the_doubt_says_over_which_time_a_figure_drifted() {
        Observation growing = seen(UNSEEN, "namespaces", 8, List.of(half(DESCRIPTORS, 1_000)));
        assertThat(Diagnosis.of(growing).caveats())
                .filteredOn(one -> one.is(Doubt.DRIFT))
                .extracting(Caveat::advice)
                .singleElement()
                .asString()
                .endsWith(", over 120 buckets of 216 s: a longer run would give another result");
        assertThat(Drift.of(growing).orElseThrow().seconds()).isEqualTo(25_910);
    }

    @Test
    void a_figure_that_is_seldom_read_may_drift() {
        Growing seldom = new Growing(DESCRIPTORS, i -> i % 10 == 3 ? 1_000 + i / 10.0 : Double.NaN);
        assertThat(said(seldom)).hasSize(1);
    }

    @Test
    void a_pause_without_answers_has_no_response_time() {
        Growing answers = new Growing(ANSWERED, i -> 5_000.0 * Math.max(1_000, i));
        Growing micros =
                new Growing(
                        LoadFigure.RESPONSE_MICROS_SUM.at(End.CLIENT, "test"),
                        i -> 5e6 * i * (1 + 0.5 * i / SAMPLES));
        Growing withoutPause = new Growing(ANSWERED, i -> 5_000.0 * i);
        assertThat(said(micros, withoutPause)).anyMatch(line -> line.startsWith("mean"));
        assertThat(said(micros, answers)).noneMatch(line -> line.startsWith("mean"));
    }

    @Test
    void a_load_that_rises_shows_no_drift() {
        Duration each = Duration.ofHours(8);
        LoadOutcome ramp = open(new Arrival.Stage(each, 100, 200));
        LoadOutcome same = open(new Arrival.Stage(each, 100, 100));
        List<Growing> growing = List.of(half(DESCRIPTORS, 1_000));
        assertThat(Drift.of(seen(ramp, "namespaces", 8, growing))).isEmpty();
        assertThat(Drift.of(seen(same, "namespaces", 8, growing))).isPresent();
    }

    /// Twenty buckets have two samples each.
    @Test
    void a_drift_needs_enough_samples() {
        assertThat(Drift.of(sampled(44))).isEmpty();
        assertThat(Drift.of(sampled(45)).orElseThrow().buckets()).isEqualTo(20);
        assertThat(Drift.of(sampled(0))).isEmpty();
    }

    private static Observation sampled(int samples) {
        Observation all = seen(UNSEEN, "namespaces", 8, List.of(half(DESCRIPTORS, 1_000)));
        double[] values = all.timeline().series().getFirst().values();
        return new Observation(
                UNSEEN,
                new Timeline(
                        LongStream.range(0, samples).map(i -> i * 60_000_000_000L).toArray(),
                        List.of(new Series(DESCRIPTORS, Arrays.copyOf(values, samples)))),
                all.facts());
    }

    @Test
    void only_the_packets_of_the_client_show_the_rate_of_a_command() {
        Growing slower =
                new Growing(
                        KernelCounter.IN_SEGMENTS.at(End.SERVER, "test"),
                        i -> 5_000.0 * i * (1 - 0.24 * i / SAMPLES));
        LoadOutcome command = new LoadOutcome.Command(8 * 3600, 1, 0, new TreeMap<>(), 0);
        assertThat(lines(command, "namespaces", slower)).isEmpty();
    }
}
