package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

final class SlowdownTest {
    private static final int REPEATED = 300;

    private final SplittableRandom random = new SplittableRandom(1);

    /// Answers of 1 ms, with a share of slow answers of 100 ms.
    private Histogram mix(int count, double slowShare, double factor) {
        Histogram histogram = new Histogram(3);
        for (int i = 0; i < count; i++) {
            double millis = random.nextDouble() < slowShare ? 100 : 1;
            histogram.recordValue((long) (millis * factor * 1e6));
        }
        return histogram;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.05, 0.3})
    void a_service_as_fast_as_without_load_is_never_slower(double slowShare) {
        for (int i = 0; i < REPEATED; i++) {
            Slowdown slowdown = Slowdown.of(mix(20, slowShare, 1), mix(2_000, slowShare, 1));
            assertThat(slowdown.ratio()).isLessThan(Symptoms.BEND);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 1_000})
    void a_service_three_times_as_slow_is_slower_however_few_were_asked(int probes) {
        Slowdown slowdown = Slowdown.of(mix(probes, 0, 1), mix(2_000, 0, 3));
        assertThat(slowdown.ratio()).isCloseTo(3, within(0.01));
    }

    @Test
    void many_requests_without_load_show_that_the_slow_tenth_got_slower() {
        Histogram loaded = mix(1_800, 0, 1);
        loaded.recordValueWithCount(1_000_000_000L, 200);
        assertThat(Slowdown.of(mix(1_000, 0.1, 1), loaded).ratio()).isGreaterThan(Symptoms.BEND);
    }

    @Test
    void without_a_request_before_the_load_nothing_is_known() {
        assertThat(Slowdown.of(new Histogram(3), mix(100, 0, 1)).known()).isFalse();
    }

    /// All answers take the same time.
    private static Histogram all(double millis, long count) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount((long) (millis * 1e6), count);
        return histogram;
    }

    private static LoadOutcome.Target target(Histogram loaded, Histogram alone) {
        return new LoadOutcome.Target(
                "GET /", loaded.getTotalCount(), new TreeMap<>(), loaded, alone);
    }

    /// Without load, each request was sent equally often; under load, 1 in 10 is the slow one.
    @Test
    void each_request_of_a_mix_is_compared_with_itself() {
        Histogram loaded = all(1, 900);
        loaded.add(all(30, 100));
        LoadOutcome.Requests load = SampleLoad.of(10, 10, 1_000, 0, loaded);
        Histogram alone = all(1, 50);
        alone.add(all(10, 50));
        LoadOutcome.Target quick = target(all(1, 900), all(1, 50));
        LoadOutcome.Requests mixed =
                SampleLoad.mixed(load, alone, List.of(quick, target(all(30, 100), all(10, 40))));
        Slowdown slowdown = Slowdown.of(mixed);
        assertThat(slowdown.aloneNanos()).isCloseTo(1.9e6, within(0.01e6));
        assertThat(slowdown.loadedNanos()).isCloseTo(3.9e6, within(0.01e6));
        assertThat(Slowdown.requestsAlone(mixed)).isEqualTo(90);
        // A request that was not sent without load says nothing about itself.
        LoadOutcome.Target unknown = target(all(30, 100), new Histogram(3));
        assertThat(Slowdown.of(SampleLoad.mixed(load, alone, List.of(quick, unknown))).ratio())
                .isCloseTo(1, within(0.01));
        assertThat(Slowdown.of(SampleLoad.mixed(load, alone, List.of(unknown))))
                .isEqualTo(Slowdown.of(SampleLoad.mixed(load, alone, List.of())));
    }

    @Test
    void a_slow_hundredth_that_twenty_requests_missed_is_no_wall() {
        Recorded recorded =
                Recorded.healthy().responseMillis(15, 39_600).alsoResponseMillis(300, 400);
        assertThat(recorded.unloadedMillis(15, 20).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void a_slow_hundredth_that_a_thousand_requests_missed_is_a_wall() {
        Recorded recorded =
                Recorded.healthy().responseMillis(15, 39_200).alsoResponseMillis(300, 800);
        assertThat(recorded.unloadedMillis(15, 1_000).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
    }
}
