package wallfinder.lab.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Objective;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.observation.SampleLoad;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// The search on simulated queues, whose capacity is known.
class CapacitySearchTest {
    /// Every second trial, so that each is repeated.
    private static final List<Integer> STARVED = List.of(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21);

    static final Queue MM4 = new Queue(4, 0.01, false);
    static final Objective P99 = Objective.parse("p99 < 80ms");
    static final double NO_WALL = Double.POSITIVE_INFINITY;

    private static final Progress SILENT = line -> {};

    private final Interruption interruption = new Interruption();

    private CapacitySearch search(CapacityTrials place, Objective objective) {
        return search(place, objective, interruption);
    }

    static CapacitySearch search(
            CapacityTrials place, Objective objective, Interruption interruption) {
        return new CapacitySearch(place, objective, Duration.ofSeconds(10), interruption, SILENT);
    }

    private CapacityRecord capacity(CapacityTrials place, Objective objective) {
        CapacitySearch search = search(place, objective);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
        return search.found().orElseThrow();
    }

    static SimulatedPlace place(Queue queue, long seed) {
        return new SimulatedPlace(queue, seed, trial -> 0, NO_WALL, true);
    }

    /// Erlang's C formula gives for one worker the response time of M/M/1, which is exponential.
    @Test
    void the_exact_capacity_of_one_worker_is_known() {
        double exact = new Queue(1, 0.01, false).capacity(0.1, 0.01);
        assertThat(exact).isCloseTo(100 + Math.log(0.01) / 0.1, within(0.01));
    }

    @ParameterizedTest
    @CsvSource({"4,false,80", "4,true,30", "16,false,60"})
    void the_capacity_of_a_queue_is_found_and_its_interval_has_it(
            int workers, boolean fixed, int boundMillis) {
        Queue queue = new Queue(workers, 0.01, fixed);
        Objective objective = Objective.parse("p99 < " + boundMillis + "ms");
        double exact = queue.capacity(boundMillis / 1e3, 0.01);
        int searches = 40;
        int covered = 0;
        double sum = 0;
        for (int seed = 1; seed <= searches; seed++) {
            CapacityRecord found = capacity(place(queue, seed), objective);
            assertThat(found.ratePerSecond()).isCloseTo(exact, Percentage.withPercentage(12));
            covered += found.low() <= exact && exact <= found.high() ? 1 : 0;
            sum += found.ratePerSecond();
        }
        assertThat(sum / searches).isCloseTo(exact, Percentage.withPercentage(3.5));
        assertThat(covered).isGreaterThanOrEqualTo(searches * 80 / 100);
    }

    @Test
    void one_disturbed_trial_changes_nothing() {
        CapacityRecord calm = capacity(place(MM4, 5), P99);
        assertThat(calm.disturbed()).isEmpty();
        int leftOut = 0;
        for (int disturbed = 1; disturbed < 20; disturbed++) {
            int which = disturbed;
            CapacityRecord found =
                    capacity(
                            new SimulatedPlace(
                                    MM4, 5, trial -> trial == which ? 0.5 : 0, NO_WALL, true),
                            P99);
            assertThat(found.ratePerSecond())
                    .as("trial %d", disturbed)
                    .isCloseTo(calm.ratePerSecond(), Percentage.withPercentage(5));
            assertThat(found.disturbed()).isSubsetOf(which - 1);
            leftOut += found.disturbed().size();
        }
        assertThat(leftOut).isGreaterThan(5); // those of the pairs
    }

    /// Something else uses the host for a while, such as a build: all answers are late meanwhile.
    @Test
    void trials_without_the_generators_cpu_are_repeated_and_do_not_count() {
        CapacityRecord calm = capacity(place(MM4, 5), P99);
        SimulatedPlace busy =
                new SimulatedPlace(
                        MM4, 5, trial -> STARVED.contains((int) trial) ? 0.5 : 0, NO_WALL, true);
        busy.starved.addAll(STARVED);
        CapacityRecord found = capacity(busy, P99);
        assertThat(found.disturbed()).isEmpty();
        assertThat(found.ratePerSecond())
                .isCloseTo(calm.ratePerSecond(), Percentage.withPercentage(5));
    }

    /// The host is slow while the search doubles the rate, so the pairs begin far below the border.
    @Test
    void a_search_that_was_led_astray_begins_anew() {
        double exact = MM4.capacity(0.08, 0.01);
        for (int seed = 1; seed <= 20; seed++) {
            SimulatedPlace place =
                    new SimulatedPlace(
                            MM4, seed, trial -> trial == 3 || trial == 4 ? 0.5 : 0, NO_WALL, true);
            CapacityRecord found = capacity(place, P99);
            assertThat(found.ratePerSecond())
                    .as("seed %d", seed)
                    .isCloseTo(exact, Percentage.withPercentage(12));
            assertThat(place.opened).contains("pair-9").doesNotHaveDuplicates();
        }
    }

    /// Of single requests 0.67 % miss this objective, so chance often decides whether a rate holds
    /// it. A search ended at 46/s although the service held the objective at 135/s, too.
    @Test
    void an_objective_that_single_requests_nearly_miss_gives_no_capacity_far_below() {
        Objective tight = Objective.parse("p99 < 50ms");
        double exact = MM4.capacity(0.05, 0.01);
        int covered = 0;
        for (int seed = 1; seed <= 40; seed++) {
            CapacityRecord found = capacity(place(MM4, seed), tight);
            assertThat(found.ratePerSecond()).as("seed %d", seed).isGreaterThan(0.75 * exact);
            covered += found.low() <= exact && exact <= found.high() ? 1 : 0;
        }
        assertThat(covered).isGreaterThanOrEqualTo(32);
    }

    /// Seen on a shared host: the CPU time of an answer differed by a tenth between trials, so that
    /// many of them contradicted each other. The result was 3 % above all rates that were measured.
    @Test
    void a_capacity_is_within_the_measured_rates_although_the_host_changes_its_speed() {
        Queue queue = new Queue(1, 0.001, true);
        double exact = queue.capacity(0.05, 0.01);
        for (int seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedPlace place = place(queue, seed);
            CapacityRecord found =
                    capacity(
                            new OtherSpeeds(place, () -> 1 + 0.1 * (random.nextDouble() - 0.5)),
                            Objective.parse("p99 < 50ms"));
            double[] rates =
                    found.pairs().stream()
                            .flatMap(pair -> Stream.of(pair.below(), pair.above()))
                            .mapToDouble(CapacityRecord.Side::perSecond)
                            .sorted()
                            .toArray();
            assertThat(found.ratePerSecond())
                    .as("seed %d", seed)
                    .isBetween(rates[0], rates[rates.length - 1])
                    .isCloseTo(exact, Percentage.withPercentage(10));
        }
    }

    /// A queue on a host whose speed differs from trial to trial.
    private record OtherSpeeds(SimulatedPlace place, DoubleSupplier speed)
            implements CapacityTrials, CapacityTrials.Place {
        @Override
        public Place open(String name) {
            place.open(name);
            return this;
        }

        @Override
        public boolean fresh() {
            return place.fresh();
        }

        @Override
        public double aloneSeconds() {
            return place.aloneSeconds();
        }

        @Override
        public RunRecord.Trial at(double perSecond, Duration duration, String name) {
            return place.at(perSecond / speed.getAsDouble(), duration, name);
        }

        @Override
        public void close() {
            place.close();
        }
    }

    @Test
    void each_pair_has_fresh_services_if_the_experiment_starts_them() {
        SimulatedPlace fresh = place(MM4, 1);
        int pairs = capacity(fresh, P99).pairs().size();
        assertThat(fresh.opened).hasSize(pairs);
        assertThat(fresh.closed).isEqualTo(pairs);
        SimulatedPlace running = new SimulatedPlace(MM4, 1, trial -> 0, NO_WALL, false);
        capacity(running, P99);
        assertThat(running.opened).hasSize(1);
        assertThat(running.closed).isEqualTo(1);
    }

    @Test
    void a_pair_is_on_both_sides_of_the_border_and_points_to_its_trials() {
        CapacitySearch search = search(place(MM4, 1), P99);
        search.run();
        CapacityRecord found = search.found().orElseThrow();
        List<RunRecord.Trial> trials = search.measured();
        assertThat(found.confirmed()).isTrue();
        assertThat(found.pairs())
                .hasSizeBetween(6, 9)
                .allSatisfy(pair -> {
                    assertThat(pair.below().perSecond()).isLessThan(pair.above().perSecond());
                    assertThat(trials.get(pair.below().trial()).name()).endsWith("below");
                    assertThat(trials.get(pair.above().trial()).name()).endsWith("above");
                    assertThat(trials.get(pair.above().trial()).objectiveMet())
                            .isEqualTo(pair.above().held());
                });
        assertThat(trials).extracting(RunRecord.Trial::name).doesNotHaveDuplicates();
    }

    @Test
    void the_wall_is_looked_for_above_the_capacity() {
        CapacitySearch search = search(new SimulatedPlace(MM4, 1, trial -> 0, 450, true), P99);
        search.run();
        Integer wall = search.found().orElseThrow().wall();
        assertThat(search.measured().get(wall).name()).startsWith("beyond-");
        assertThat(search.measured().get(wall).observation().load().throughput())
                .isGreaterThan(430);
    }

    @Test
    void a_wall_that_binds_a_little_above_is_the_nearest() {
        double exact = MM4.capacity(0.08, 0.01);
        CapacitySearch search = search(new SimulatedPlace(MM4, 1, trial -> 0, exact, true), P99);
        search.run();
        Integer wall = search.found().orElseThrow().wall();
        assertThat(search.measured().get(wall).name()).endsWith("-above");
    }

    @Test
    void the_law_of_scalability_predicts_less_than_the_workers_can_do() {
        Double predicted = capacity(place(MM4, 1), P99).predicted();
        assertThat(predicted).isBetween(330.0, 480.0);
    }

    /// No trial is near the border, so its place between the rates of the pairs is unknown.
    @Test
    void a_step_is_between_the_rates_of_the_pairs() {
        CapacityRecord found = capacity(new Step(), P99);
        assertThat(found.low()).isLessThan(Step.PER_SECOND);
        assertThat(found.high()).isGreaterThan(Step.PER_SECOND).isLessThan(1.1 * found.low());
        assertThat(found.isStep()).isTrue();
    }

    @Test
    void an_objective_that_one_request_misses_has_no_capacity() {
        CapacitySearch search = search(place(MM4, 1), Objective.parse("p50 < 1ms"));
        assertThat(search.run()).isEqualTo(CapacitySearch.End.NEVER_HELD);
        assertThat(search.found()).isEmpty();
    }

    @Test
    void a_service_that_always_holds_has_a_lower_bound() {
        CapacitySearch search = search(new Boundless(), P99);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
        CapacityRecord found = search.found().orElseThrow();
        assertThat(found.low()).isEqualTo(found.ratePerSecond()).isGreaterThan(1e6);
        assertThat(found.high()).isInfinite();
    }

    /// Each answer takes 4.5 s, so those of the last 2.5 s do not come before the drain ends.
    @Test
    void a_service_whose_answers_take_longer_than_the_drain_holds_a_longer_bound() {
        CapacityRecord found = capacity(new Slow(), Objective.parse("p99 < 5s"));
        assertThat(found.ratePerSecond()).isCloseTo(Step.PER_SECOND, Percentage.withPercentage(5));
    }

    /// The number of the first trial of a pair, if nothing disturbs the search.
    static long firstOfPairs() {
        CapacitySearch calm = search(place(MM4, 5), P99, new Interruption());
        calm.run();
        return 1
                + calm.measured().stream()
                        .takeWhile(trial -> !trial.name().startsWith("pair-"))
                        .count();
    }

    /// The host is busy while the search begins anew.
    @Test
    void pairs_stay_if_no_rate_holds_the_objective_any_more() {
        long first = firstOfPairs();
        SimulatedPlace busy =
                new SimulatedPlace(
                        MM4, 5, n -> n >= first && n < first + 16 ? 0.5 : 0, NO_WALL, true);
        CapacitySearch search = search(busy, P99);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
        CapacityRecord found = search.found().orElseThrow();
        assertThat(found.pairs()).hasSizeGreaterThanOrEqualTo(CapacitySearch.PAIRS);
        assertThat(found.high()).isGreaterThan(found.ratePerSecond());
    }

    @Test
    void a_search_that_is_stopped_keeps_its_trials() {
        SimulatedPlace place =
                new SimulatedPlace(
                        MM4,
                        1,
                        trial -> {
                            if (trial == 3) {
                                interruption.request();
                            }
                            return 0;
                        },
                        NO_WALL,
                        true);
        CapacitySearch search = search(place, P99);
        assertThatThrownBy(search::run).isInstanceOf(CancellationException.class);
        assertThat(search.measured()).hasSize(3);
        assertThat(place.closed).isEqualTo(1);
    }

    /// Answers in a millisecond up to a rate, and in a second above it.
    private static final class Step extends Boundless {
        static final double PER_SECOND = 777;

        @Override
        public RunRecord.Trial at(double perSecond, Duration duration, String name) {
            double millis = perSecond < PER_SECOND ? 1 : 1_000;
            return SimulatedTrials.trial(
                    name,
                    SimulatedTrials.load(100, perSecond, millis, 0),
                    SimulatedTrials.none(),
                    null);
        }
    }

    /// Answers in 4.5 s up to a rate, and in 9 s above it.
    private static final class Slow extends Boundless {
        @Override
        public RunRecord.Trial at(double perSecond, Duration duration, String name) {
            double takes = perSecond < Step.PER_SECOND ? 4.5 : 9;
            double seconds = duration.toMillis() / 1e3;
            double inTime = Math.max(0, seconds + 2 - takes);
            long answered = Math.round(perSecond * inTime);
            Histogram times = new Histogram(3);
            if (answered > 0) {
                times.recordValueWithCount(Math.round(takes * 1e9), answered);
            }
            return SimulatedTrials.trial(
                    name,
                    SampleLoad.hung(
                            SampleLoad.of(100, seconds, answered, 0, times),
                            Math.round(perSecond * seconds) - answered),
                    SimulatedTrials.none(),
                    null);
        }
    }

    /// Answers each request in a millisecond.
    private static class Boundless implements CapacityTrials, CapacityTrials.Place {
        @Override
        public Place open(String name) {
            return this;
        }

        @Override
        public boolean fresh() {
            return false;
        }

        @Override
        public double aloneSeconds() {
            return 0.001;
        }

        @Override
        public RunRecord.Trial at(double perSecond, Duration duration, String name) {
            return SimulatedTrials.trial(
                    name, SimulatedTrials.load(100, perSecond, 1, 0), SimulatedTrials.none(), null);
        }

        @Override
        public void close() {}
    }
}
