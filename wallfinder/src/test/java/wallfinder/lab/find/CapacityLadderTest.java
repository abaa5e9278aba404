package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.UsageException;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.NotStarted;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// `goal: capacity` on simulated services whose capacities are known.
class CapacityLadderTest {
    private static final Map<String, Double> DOUBLING = Map.of("8", 400.0, "16", 800.0);
    private static final Map<String, Double> PLACEBO = Map.of("8", 400.0, "16", 400.0);
    private static final int LADDERS = 40;
    private static final String PAIR = "rung-1-remedy-1-pair-";

    @TempDir Path folder;

    private CapacityLadder.Result climb(RateTrials rates) throws Exception {
        return new CapacityLadder(rates, new Interruption(), line -> {})
                .run(SimulatedRates.experiment(folder));
    }

    private CapacityLadder.Result climb(Map<String, Double> capacities, double noise, long seed)
            throws Exception {
        return climb(new SimulatedRates(capacities, noise, new SplittableRandom(seed)));
    }

    /// @param at gives the rate that the trials of the pairs get
    private static RateTrials changed(DoubleUnaryOperator at) {
        return changed(at, trial -> trial);
    }

    /// @param seen changes what the trials of the pairs show
    private static RateTrials changed(DoubleUnaryOperator at, UnaryOperator<RunRecord.Trial> seen) {
        SimulatedRates rates = new SimulatedRates(DOUBLING, 0.01, new SplittableRandom(3));
        return new RateTrials() {
            @Override
            public Capacity.Result search(Experiment experiment, String label) {
                return rates.search(experiment, label);
            }

            @Override
            public RunRecord.Trial at(Experiment experiment, double rate, String name) {
                return seen.apply(rates.at(experiment, at.applyAsDouble(rate), name));
            }
        };
    }

    @Test
    void a_remedy_that_doubles_the_capacity_is_proven_by_three_pairs_between() throws Exception {
        CapacityLadder.Result result = climb(DOUBLING, 0.02, 1);

        assertThat(result.ladder()).hasSize(2);
        RunRecord.Rung first = result.ladder().getFirst();
        assertThat(first.capacity().ratePerSecond()).isCloseTo(400, within(20.0));
        Applied applied = first.remedy();
        assertThat(applied.remedy().text()).isEqualTo("size 8 -> 16");
        assertThat(applied.throughput().ratio()).isCloseTo(2, within(0.1));
        assertThat(applied.throughput().low()).isLessThan(2).isGreaterThan(1.8);
        assertThat(applied.p99().high()).isLessThan(0.1);
        assertThat(applied.raised().perSecond()).isCloseTo(566, within(20.0));
        assertThat(applied.raised().missedWithout()).isEqualTo(3);
        assertThat(applied.raised().heldWith()).isEqualTo(3);
        assertThat(result.found().end()).isEqualTo(Capacity.End.FOUND);
        assertThat(result.found().capacity().ratePerSecond()).isCloseTo(800, within(40.0));
    }

    /// The capacities refer to the trials of the run, and those with the remedy are the next climb.
    @Test
    void each_rung_refers_to_its_own_trials() throws Exception {
        CapacityLadder.Result result = climb(DOUBLING, 0.02, 1);

        List<RunRecord.Trial> trials = result.found().trials();
        for (RunRecord.Rung rung : result.ladder()) {
            assertThat(rung.trial()).isEqualTo(rung.capacity().wall());
            assertThat(trials.get(rung.trial()).diagnosis().wallId())
                    .contains("server-concurrency");
            assertThat(rung.capacity().pairs()).isNotEmpty();
            for (CapacityRecord.Pair pair : rung.capacity().pairs()) {
                RunRecord.Trial above = trials.get(pair.above().trial());
                assertThat(above.observation().load().throughput())
                        .isCloseTo(pair.above().perSecond(), within(1.0));
                assertThat(above.role()).isEqualTo(RunRecord.Role.CLIMB);
            }
        }
        assertThat(trials)
                .filteredOn(trial -> trial.role() == RunRecord.Role.PAIR_WITHOUT)
                .hasSize(3);
        assertThat(trials).extracting(RunRecord.Trial::name).doesNotHaveDuplicates();
    }

    @Test
    void a_knob_that_does_nothing_raises_nothing_in_forty_ladders() throws Exception {
        int raised = 0;
        for (int seed = 1; seed <= LADDERS; seed++) {
            CapacityLadder.Result result = climb(PLACEBO, 0.1, seed);
            raised += result.ladder().getFirst().remedy() != null ? 1 : 0;
        }
        assertThat(raised).isLessThanOrEqualTo(2);
    }

    @Test
    void a_knob_that_does_nothing_is_reported_as_such() throws Exception {
        CapacityLadder.Result result = climb(PLACEBO, 0.01, 2);

        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.without()).hasSize(1);
        Applied applied = rung.without().getFirst();
        assertThat(applied.throughput().effect()).isEqualTo(RatioInterval.Effect.NONE);
        assertThat(applied.raised().pairs()).isZero();
        assertThat(applied.text()).startsWith("no effect, 0.9");
        assertThat(rung.advice()).isNotEmpty();
        assertThat(result.found().ended())
                .isEqualTo("no remedy that the experiment allows moved the wall");
    }

    /// The intervals are apart, but the pairs say something else.
    @Test
    void intervals_alone_prove_nothing() throws Exception {
        RateTrials contradicting = changed(rate -> rate / 2);
        RunRecord.Rung rung = climb(contradicting).ladder().getFirst();
        assertThat(rung.remedy()).isNull();
        assertThat(rung.without().getFirst().raised().missedWithout()).isZero();
    }

    /// @param names of the trials in which other programs take the generator's CPU
    private static RateTrials starved(Predicate<String> names) {
        return changed(rate -> rate, trial -> names.test(trial.name()) ? starved(trial) : trial);
    }

    /// The objective is missed because of the generator.
    private static RunRecord.Trial starved(RunRecord.Trial trial) {
        LoadOutcome load = trial.observation().load();
        LoadOutcome late =
                SampleLoad.of(
                        load.connections(),
                        load.seconds(),
                        load.answered(),
                        0,
                        load.responseNanos(),
                        SampleLoad.STARVED);
        return SimulatedTrials.trial(trial.name(), late, trial.diagnosis(), false);
    }

    private static long trialsOfPairs(CapacityLadder.Result result) {
        return result.found().trials().stream()
                .filter(trial -> trial.name().startsWith(PAIR))
                .count();
    }

    @Test
    void a_pair_with_one_starved_trial_is_measured_again() throws Exception {
        Set<String> names = Set.of(PAIR + "1-with", PAIR + "2-without");
        CapacityLadder.Result result = climb(starved(names::contains));

        assertThat(result.ladder().getFirst().remedy().raised())
                .extracting(
                        RunRecord.Raised::pairs,
                        RunRecord.Raised::missedWithout,
                        RunRecord.Raised::heldWith)
                .containsExactly(3, 3, 3);
        assertThat(trialsOfPairs(result)).isEqualTo(10);
        assertThat(result.found().trials())
                .extracting(RunRecord.Trial::name)
                .filteredOn(name -> name.startsWith(PAIR) && !name.endsWith("-discarded"))
                .containsExactly(
                        PAIR + "3-without",
                        PAIR + "3-with",
                        PAIR + "4-with",
                        PAIR + "4-without",
                        PAIR + "5-without",
                        PAIR + "5-with");
    }

    @Test
    void a_host_that_stays_busy_ends_the_ladder_after_six_turns() throws Exception {
        CapacityLadder.Result result = climb(starved(name -> name.matches(PAIR + "[3-9].*")));

        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.remedy()).isNull();
        assertThat(rung.without().getFirst().raised().pairs()).isEqualTo(2);
        assertThat(result.found().ended()).isEqualTo(Find.TOO_BUSY);
        assertThat(trialsOfPairs(result)).isEqualTo(12);
    }

    @Test
    void a_host_that_is_busy_all_the_time_proves_nothing_against_a_remedy() throws Exception {
        CapacityLadder.Result result = climb(starved(name -> name.startsWith(PAIR)));

        assertThat(result.ladder().getFirst().without().getFirst().raised().pairs()).isZero();
        assertThat(result.found().ended()).isEqualTo(Find.TOO_BUSY);
        assertThat(result.found().trials())
                .extracting(RunRecord.Trial::name)
                .filteredOn(name -> name.startsWith(PAIR))
                .hasSize(12)
                .allMatch(name -> name.endsWith("-discarded"));
    }

    @Test
    void pairs_that_contradict_are_not_too_few() throws Exception {
        RateTrials contradicting =
                changed(
                        rate -> rate / 2,
                        trial -> trial.name().matches(PAIR + "[3-9].*") ? starved(trial) : trial);
        CapacityLadder.Result result = climb(contradicting);

        assertThat(result.ladder().getFirst().without().getFirst().raised().pairs()).isEqualTo(2);
        assertThat(result.found().ended()).startsWith("no remedy that the experiment allows");
    }

    @Test
    void what_was_measured_is_kept_if_the_user_stops() throws Exception {
        Interruption interruption = new Interruption();
        RateTrials stopping =
                changed(rate -> {
                    interruption.request();
                    return rate;
                });
        CapacityLadder.Result result =
                new CapacityLadder(stopping, interruption, line -> {})
                        .run(SimulatedRates.experiment(folder));
        assertThat(result.found().end()).isEqualTo(Capacity.End.INTERRUPTED);
        assertThat(result.found().capacity().ratePerSecond()).isCloseTo(400, within(20.0));
        assertThat(result.found().trials()).hasSize(27);
        assertThat(result.ladder()).hasSize(1);
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.advice()).isNotEmpty();
        assertThat(rung.unmeasured())
                .extracting(one -> one.remedy().text())
                .containsExactly("size 8 -> 16");
    }

    private static final NotStarted REFUSED =
            new NotStarted(new EnvironmentException("the service web ended", "code 1", "read"));

    /// Services that do not start with the remedy, for the search or later.
    private static RateTrials refusing(boolean search, Predicate<String> names) {
        RateTrials rates =
                changed(
                        rate -> rate,
                        trial -> {
                            if (names.test(trial.name())) {
                                throw REFUSED;
                            }
                            return trial;
                        });
        return new RateTrials() {
            @Override
            public Capacity.Result search(Experiment experiment, String label) {
                if (search && label.contains("remedy")) {
                    throw REFUSED;
                }
                return rates.search(experiment, label);
            }

            @Override
            public RunRecord.Trial at(Experiment experiment, double rate, String name) {
                return rates.at(experiment, rate, name);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void services_that_do_not_start_with_a_remedy_keep_their_wall(boolean search) throws Exception {
        CapacityLadder.Result result = climb(refusing(search, name -> name.endsWith("-with")));

        assertThat(result.found().failure()).isNull();
        assertThat(result.found().end()).isEqualTo(Capacity.End.FOUND);
        assertThat(result.found().ended())
                .isEqualTo(
                        "no remedy was proven: the service did not start with those that were tested");
        assertThat(result.ladder().getFirst().unmeasured())
                .extracting(RunRecord.Unmeasured::why)
                .containsExactly(
                        "the service did not start with it: the service web ended: code 1");
    }

    @Test
    void services_that_do_not_start_without_a_remedy_end_the_ladder_with_their_wall()
            throws Exception {
        CapacityLadder.Result result = climb(refusing(false, name -> name.endsWith("-without")));

        assertThat(result.found().failure()).isInstanceOf(EnvironmentException.class);
        assertThat(result.found().ended()).isEqualTo("it failed: the service web ended: code 1");
        assertThat(result.ladder()).hasSize(1);
    }

    private Experiment changed(String from, String to) throws Exception {
        Path file = folder.resolve("changed.yaml");
        Files.writeString(file, SimulatedRates.experiment(folder).text().replace(from, to));
        return ExperimentFile.read(file);
    }

    @Test
    void the_goal_of_an_experiment_is_the_throughput_unless_it_says_so() throws Exception {
        assertThat(SimulatedRates.experiment(folder).goal()).isEqualTo(Experiment.Goal.CAPACITY);
        assertThat(changed("goal: capacity", "").goal()).isEqualTo(Experiment.Goal.THROUGHPUT);
        assertThatThrownBy(() -> changed("goal: capacity", "goal: latency"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("goal: 'latency' is not throughput or capacity");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "objective: rate > 5k\n"})
    void an_experiment_without_a_bound_of_the_response_time_has_no_capacity(String objective)
            throws Exception {
        Experiment experiment = changed("objective: p99 < 50ms\n", objective);
        assertThatThrownBy(() -> CapacityLadder.check(experiment))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void a_defect_in_the_pairs_loses_no_trial() throws Exception {
        IllegalStateException defect = new IllegalStateException("a defect");
        CapacityLadder.Result result =
                climb(
                        changed(rate -> {
                            throw defect;
                        }));
        assertThat(result.found().failure()).isSameAs(defect);
        assertThat(result.found().ended()).startsWith("it failed: a defect in Wallfinder itself");
        assertThat(result.found().trials()).isNotEmpty();
        assertThat(result.ladder()).hasSize(1);
    }
}
