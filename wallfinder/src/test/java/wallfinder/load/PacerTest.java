package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;

class PacerTest {
    private static final int CASES = 200;
    private static final long SECOND = 1_000_000_000L;

    @Test
    void the_number_due_never_falls_and_agrees_with_the_due_times() {
        Seeded.cases(
                CASES,
                random -> {
                    Pacer pacer = anyPacer(random);
                    long nanos = 0;
                    long before = 0;
                    for (int i = 0; i < 50; i++) {
                        long due = pacer.due(nanos);
                        assertThat(due).isGreaterThanOrEqualTo(before);
                        assertThat(pacer.dueNanos(due)).isGreaterThan(nanos);
                        if (due > 0) {
                            assertThat(pacer.dueNanos(due - 1)).isLessThanOrEqualTo(nanos);
                        }
                        before = due;
                        nanos += random.nextLong(SECOND / 20);
                    }
                });
    }

    @Test
    void no_request_is_due_before_the_one_ahead_of_it() {
        Seeded.cases(
                CASES,
                random -> {
                    Pacer pacer = anyPacer(random);
                    long before = 0;
                    for (long number = 0; number < 500; number++) {
                        long due = pacer.dueNanos(number);
                        assertThat(due).isGreaterThanOrEqualTo(before);
                        before = due;
                    }
                });
    }

    @Test
    void the_result_does_not_depend_on_earlier_calls() {
        Seeded.cases(
                CASES,
                random -> {
                    Arrival.Open arrival = anyArrival(random);
                    Pacer used = Pacer.of(arrival, 0, 1);
                    for (int i = 0; i < 20; i++) {
                        long number = random.nextLong(2_000);
                        assertThat(used.dueNanos(number))
                                .isEqualTo(Pacer.of(arrival, 0, 1).dueNanos(number));
                        long nanos = random.nextLong(SECOND / 10);
                        assertThat(used.due(nanos)).isEqualTo(Pacer.of(arrival, 0, 1).due(nanos));
                    }
                });
    }

    @Test
    void in_the_long_run_the_count_agrees_with_the_rate() {
        Seeded.cases(
                20,
                random -> {
                    double rate = 1_000 + random.nextInt(100_000);
                    assertThat(Pacer.of(new Arrival.Rate(rate), 0, 1).due(10 * SECOND - 1))
                            .isCloseTo(Math.round(rate * 10), within(1L));
                    long poisson =
                            Pacer.of(new Arrival.Poisson(rate, random.nextLong()), 0, 1)
                                    .due(10 * SECOND);
                    // Five standard deviations.
                    assertThat((double) poisson)
                            .isCloseTo(rate * 10, within(5 * Math.sqrt(rate * 10)));
                });
    }

    @Test
    void at_any_time_the_count_is_the_integral_of_the_rate_to_within_one() {
        Seeded.cases(
                CASES,
                random -> {
                    Arrival.Rate rate = anyRate(random);
                    long nanos = random.nextLong(100 * SECOND);
                    assertThat((double) Pacer.of(rate, 0, 1).due(nanos))
                            .isCloseTo(rate.perSecond() * nanos / SECOND, within(1.0));
                    Arrival.Stages stages = anyStages(random);
                    long within = random.nextLong(stages.length().toNanos() + SECOND);
                    assertThat((double) Pacer.of(stages, 0, 1).due(within))
                            .isCloseTo(integral(stages, within), within(1.001));
                });
    }

    /// Integrates in steps of a microsecond, with the rate in the middle of each.
    private static double integral(Arrival.Stages stages, long nanos) {
        double step = 1_000;
        double sum = 0;
        double from = 0;
        for (Arrival.Stage stage : stages.stages()) {
            double length = stage.length().toNanos();
            for (double at = 0; at < length && from + at < nanos; at += step) {
                double width = Math.min(step, Math.min(length - at, nanos - from - at));
                double share = (at + width / 2) / length;
                sum += (stage.from() + (stage.to() - stage.from()) * share) * width / SECOND;
            }
            from += length;
        }
        double last = stages.stages().getLast().to();
        return sum + Math.max(0, nanos - from) * last / SECOND;
    }

    @Test
    void the_counts_of_a_poisson_process_have_the_right_variance_and_are_independent() {
        int windows = 4_000;
        Seeded.cases(
                20,
                random -> {
                    double expected = 2 + random.nextInt(30);
                    int threads = 1 + random.nextInt(3);
                    Arrival.Poisson arrival =
                            new Arrival.Poisson(expected * 1_000, random.nextLong());
                    double[] counts = new double[windows];
                    for (int thread = 0; thread < threads; thread++) {
                        Pacer pacer = Pacer.of(arrival, thread, threads);
                        long before = 0;
                        for (int i = 0; i < windows; i++) {
                            long due = pacer.due((i + 1) * SECOND / 1_000);
                            counts[i] += due - before;
                            before = due;
                        }
                    }
                    double mean = Arrays.stream(counts).average().orElseThrow();
                    double variance =
                            Arrays.stream(counts).map(c -> (c - mean) * (c - mean)).sum() / windows;
                    double together = 0;
                    for (int i = 1; i < windows; i++) {
                        together += (counts[i] - mean) * (counts[i - 1] - mean);
                    }
                    // Five standard deviations each.
                    assertThat(mean).isCloseTo(expected, within(5 * Math.sqrt(expected / windows)));
                    assertThat(variance / expected)
                            .isCloseTo(1, within(5 * Math.sqrt((2 + 1 / expected) / windows)));
                    assertThat(together / windows / variance)
                            .isCloseTo(0, within(5 / Math.sqrt(windows)));
                });
    }

    @Test
    void threads_that_share_a_rate_send_together_what_one_would() {
        Seeded.cases(
                CASES,
                random -> {
                    Arrival.Open arrival =
                            random.nextBoolean() ? anyStages(random) : anyRate(random);
                    int threads = 2 + random.nextInt(7);
                    long nanos = random.nextLong(2 * SECOND);
                    long together =
                            IntStream.range(0, threads)
                                    .mapToLong(i -> Pacer.of(arrival, i, threads).due(nanos))
                                    .sum();
                    assertThat(together).isEqualTo(Pacer.of(arrival, 0, 1).due(nanos));
                });
    }

    @Test
    void a_constant_rate_gives_even_distances() {
        Pacer pacer = Pacer.of(new Arrival.Rate(5_000), 0, 1);
        assertThat(LongStream.range(0, 5).map(pacer::dueNanos))
                .containsExactly(0L, 200_000L, 400_000L, 600_000L, 800_000L);
        assertThat(pacer.dueNanos(5_000L * 3_600)).isEqualTo(3_600 * SECOND);
        assertThat(pacer.due(199_999)).isEqualTo(1);
        assertThat(pacer.due(200_000)).isEqualTo(2);
        Pacer second = Pacer.of(new Arrival.Rate(5_000), 1, 2);
        assertThat(LongStream.range(0, 3).map(second::dueNanos))
                .containsExactly(200_000L, 600_000L, 1_000_000L);
    }

    @Test
    void stages_step_pause_ramp_and_continue_at_the_last_rate() {
        Pacer pacer = stages(stage(1, 10, 10), stage(1, 0, 0), stage(2, 0, 20), stage(1, 20, 20));
        assertThat(pacer.due(SECOND - 1)).isEqualTo(10);
        assertThat(pacer.due(2 * SECOND - 1)).isEqualTo(10);
        // A quarter of the ramp's 20 requests in its first half.
        assertThat(pacer.due(3 * SECOND - 1)).isEqualTo(15);
        assertThat(pacer.dueNanos(15)).isEqualTo(3 * SECOND);
        assertThat(pacer.due(4 * SECOND - 1)).isEqualTo(30);
        assertThat(pacer.due(10 * SECOND - 1)).isEqualTo(30 + 6 * 20);
        Pacer down = stages(stage(2, 20, 0));
        assertThat(down.due(SECOND - 1)).isEqualTo(15);
        assertThat(down.due(2 * SECOND - 1)).isEqualTo(20);
        assertThat(down.due(100 * SECOND)).isEqualTo(21);
        assertThat(down.dueNanos(25)).isEqualTo(Pacer.NEVER);
    }

    @Test
    void distances_of_a_poisson_process_are_exponential_even_if_several_threads_share_it() {
        for (int threads : new int[] {1, 4}) {
            Arrival.Poisson arrival = new Arrival.Poisson(1_000, 7L);
            List<Long> dues = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Pacer pacer = Pacer.of(arrival, thread, threads);
                LongStream.range(0, 40_000 / threads).map(pacer::dueNanos).forEach(dues::add);
            }
            long[] sorted = dues.stream().mapToLong(Long::longValue).sorted().toArray();
            int count = sorted.length * 9 / 10;
            double[] distances =
                    IntStream.range(1, count)
                            .mapToDouble(i -> (sorted[i] - sorted[i - 1]) / 1e6)
                            .sorted()
                            .toArray();
            double mean = Arrays.stream(distances).average().orElseThrow();
            assertThat(mean).isCloseTo(1.0, within(0.03));
            // The quantiles of an exponential distribution with a mean of 1.
            for (double share : new double[] {0.1, 0.5, 0.9, 0.99}) {
                double expected = -Math.log(1 - share);
                assertThat(distances[(int) (share * distances.length)])
                        .isCloseTo(expected, within(0.06 * expected));
            }
        }
    }

    @Test
    void another_seed_is_another_process() {
        assertThat(Pacer.of(new Arrival.Poisson(1_000, 1L), 0, 1).dueNanos(100))
                .isNotEqualTo(Pacer.of(new Arrival.Poisson(1_000, 2L), 0, 1).dueNanos(100));
    }

    private static Pacer stages(Arrival.Stage... stages) {
        return Pacer.of(new Arrival.Stages(List.of(stages)), 0, 1);
    }

    private static Arrival.Stage stage(long seconds, double from, double to) {
        return new Arrival.Stage(Duration.ofSeconds(seconds), from, to);
    }

    private static Pacer anyPacer(RandomGenerator random) {
        int threads = 1 + random.nextInt(4);
        return Pacer.of(anyArrival(random), random.nextInt(threads), threads);
    }

    private static Arrival.Open anyArrival(RandomGenerator random) {
        return switch (random.nextInt(3)) {
            case 0 -> anyRate(random);
            case 1 -> new Arrival.Poisson(1 + random.nextDouble() * 10_000, random.nextLong());
            default -> anyStages(random);
        };
    }

    private static Arrival.Rate anyRate(RandomGenerator random) {
        return new Arrival.Rate(0.1 + random.nextDouble() * 100_000);
    }

    private static Arrival.Stages anyStages(RandomGenerator random) {
        List<Arrival.Stage> stages = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(5); i++) {
            double from = random.nextInt(4) == 0 ? 0 : random.nextInt(5_000);
            double to = random.nextBoolean() ? from : random.nextInt(5_000);
            stages.add(new Arrival.Stage(Duration.ofMillis(1 + random.nextInt(500)), from, to));
        }
        // Some request is due in the end.
        stages.add(new Arrival.Stage(Duration.ofMillis(10), 100, 100));
        return new Arrival.Stages(stages);
    }
}
