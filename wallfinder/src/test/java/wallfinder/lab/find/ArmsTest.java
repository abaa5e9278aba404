package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Arrival;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.LoadOutcome;

/// The result of the pairs of both arms, and when it is decided.
class ArmsTest {
    private static final int PAIRS_MAX = 5;
    private static final double[] NOISE = {1.00, 1.01, 0.99, 1.005, 0.995};

    /// Pairs of loads with a little noise.
    ///
    /// @param perSecond the rates without and with the remedy; `p99`, in milliseconds, and `failed`
    ///   have the same order
    private static Arms arms(int pairs, double[] perSecond, double[] p99, long[] failed) {
        Arms arms = new Arms();
        for (int i = 0; i < pairs; i++) {
            double noise = NOISE[i % NOISE.length];
            arms.add(
                    SimulatedTrials.load(8, perSecond[0] * noise, p99[0] / noise, failed[0]),
                    SimulatedTrials.load(8, perSecond[1] / noise, p99[1] * noise, failed[1]));
        }
        return arms;
    }

    private static Arms rates(int pairs, double before, double after) {
        return arms(pairs, new double[] {before, after}, new double[] {10, 10}, new long[2]);
    }

    private static PairVerdict judged(Arms arms, Harm harm) {
        return PairVerdict.of(arms, harm, PAIRS_MAX, 1, new Random(1));
    }

    @Test
    void twice_the_rate_is_kept_and_decided_by_three_pairs() {
        PairVerdict verdict = judged(rates(3, 1_000, 2_000), Harm.THROUGHPUT);
        assertThat(verdict.kept()).isTrue();
        assertThat(verdict.decided()).isTrue();
        assertThat(verdict.throughput().ratio()).isCloseTo(2, within(0.05));
        assertThat(verdict.before().perSecond()).isCloseTo(1_000, within(20.0));
    }

    @Test
    void the_same_rate_is_not_kept_and_decided_once_the_interval_excludes_a_gain() {
        PairVerdict verdict = judged(rates(5, 1_000, 1_000), Harm.THROUGHPUT);
        assertThat(verdict.kept()).isFalse();
        assertThat(verdict.decided()).isTrue();
    }

    @Test
    void a_tail_that_stays_as_long_is_not_kept_and_decided() {
        Arms stays = arms(5, new double[] {1_000, 1_000}, new double[] {100, 100}, new long[2]);
        assertThat(judged(stays, Harm.LATENCY).kept()).isFalse();
        assertThat(judged(stays, Harm.LATENCY).decided()).isTrue();
    }

    @Test
    void the_median_of_an_even_number_of_trials_is_the_mean_of_the_middle_two() {
        Arms arms = new Arms();
        for (int perSecond : new int[] {100, 400, 300, 200}) {
            LoadOutcome load = SimulatedTrials.load(1, perSecond, 1, 3);
            arms.add(load, load);
        }
        assertThat(Arms.side(arms.with()).perSecond()).isEqualTo(250);
        assertThat(Arms.side(arms.with()).errors()).isEqualTo(12);
        assertThat(Arms.side(arms.with()).requests()).isEqualTo(2_000 + 12);
    }

    /// 90 of 100 connections of a load whose messages the clock decides are alive.
    ///
    /// @param openingSeconds how long it took to open them
    private static LoadOutcome held(double openingSeconds, LoadOutcome.Loop loop) {
        LoadOutcome.Requests load = (LoadOutcome.Requests) SimulatedTrials.load(100, 1_000, 10, 0);
        return new LoadOutcome.Held(
                load.engine(),
                100,
                loop,
                load.seconds(),
                load.exchanges(),
                load.failures(),
                load.times(),
                new LoadOutcome.Hold(
                        "echoed",
                        32,
                        1,
                        new TreeMap<>(Map.of("alive", 90L, "closed", 10L)),
                        0,
                        openingSeconds,
                        0,
                        0,
                        0,
                        new Histogram(3),
                        0,
                        0,
                        List.of(),
                        List.of()));
    }

    @Test
    void messages_by_the_clock_are_compared_by_the_connections_opened_a_second() {
        LoadOutcome.Loop clock =
                new LoadOutcome.Loop.Open(
                        new Arrival.Rate(100), 0, new Histogram(3), new Histogram(3));
        assertThat(Arms.speed(held(0.5, clock))).isEqualTo(180);
        assertThat(Arms.speed(held(Double.NaN, clock))).isEqualTo(45);
        assertThat(Arms.speed(held(0.5, new LoadOutcome.Loop.Closed()))).isEqualTo(1_000);
        assertThat(Arms.requests(held(0.5, clock))).isEqualTo(100);
    }

    @Test
    void a_load_command_that_reports_nothing_has_no_ratios() {
        LoadOutcome silent = new LoadOutcome.Command(2, 1, 0, new TreeMap<>(), 0);
        Arms arms = new Arms();
        for (int pair = 0; pair < 3; pair++) {
            arms.add(SimulatedTrials.load(8, 1_000, 10, 0), silent);
        }
        assertThat(arms.throughput(0.05, new Random(1)).ratio()).isNaN();
        assertThat(arms.throughput(0.05, new Random(1)).pairs()).isEqualTo(3);
        assertThat(arms.p99(0.05, new Random(1)).ratio()).isNaN();
        Arms swapped = new Arms(arms.with(), arms.without());
        assertThat(swapped.throughput(0.05, new Random(1)).ratio()).isNaN();
        assertThat(swapped.p99(0.05, new Random(1)).ratio()).isNaN();
    }

    @Test
    void the_share_of_failed_requests_counts_half_a_failure_more() {
        Arms arms = new Arms();
        for (int pair = 0; pair < 3; pair++) {
            arms.add(SimulatedTrials.load(8, 500, 10, 9), SimulatedTrials.load(8, 500, 10, 0));
        }
        assertThat(arms.errors(0.05, new Random(1)).ratio())
                .isCloseTo((0.5 / 1_001) / (9.5 / 1_010), within(1e-9));
    }

    @Test
    void the_middle_of_three_trials_is_their_median() {
        Arms arms = new Arms();
        for (int millis : new int[] {10, 30, 20}) {
            LoadOutcome load = SimulatedTrials.load(1, 10 * millis, millis, 0);
            arms.add(load, load);
        }
        assertThat(Arms.side(arms.with()).perSecond()).isEqualTo(200);
        assertThat(Arms.side(arms.with()).p99Nanos()).isCloseTo(20e6, within(1e5));
    }
}
