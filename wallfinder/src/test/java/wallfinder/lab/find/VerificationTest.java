package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.WarmUp;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.Applied;
import wallfinder.record.KeepRule;
import wallfinder.record.RunRecord;

/// Pairs in which the generator, the host or a second wall disturbs the comparison. The remedy
/// doubles the rate of the simulated service, and three undisturbed pairs prove that.
class VerificationTest {
    private static final Map<String, Integer> DOUBLING = Map.of("8", 8, "16", 16);
    private static final String PAIR = "rung-1-remedy-1-pair-";

    @TempDir Path folder;

    /// @param seen changes what a trial of a pair shows
    private Find.Result find(UnaryOperator<RunRecord.Trial> seen) throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        return SimulatedService.find(new SimulatedService(DOUBLING, 0, 0.01, random, seen), folder);
    }

    private Applied applied(UnaryOperator<RunRecord.Trial> seen) throws Exception {
        Applied applied = find(seen).ladder().getFirst().remedy();
        assertThat(applied).isNotNull();
        return applied;
    }

    private static int turn(RunRecord.Trial trial) {
        return trial.name().startsWith(PAIR)
                ? Integer.parseInt(trial.name().substring(PAIR.length()).split("-")[0])
                : 0;
    }

    private static boolean isWith(RunRecord.Trial trial) {
        return turn(trial) > 0 && trial.name().endsWith("-with");
    }

    /// Other programs took the generator's CPU, so it sent a tenth of the requests.
    private static RunRecord.Trial starved(RunRecord.Trial trial) {
        LoadOutcome load = trial.observation().load();
        LoadOutcome few =
                SampleLoad.of(
                        load.connections(),
                        load.seconds(),
                        load.answered() / 10,
                        0,
                        load.responseNanos(),
                        SampleLoad.STARVED);
        return SimulatedTrials.trial(trial.name(), few, trial.diagnosis(), null);
    }

    private static List<String> namesOfPairs(Find.Result found) {
        return found.trials().stream()
                .map(RunRecord.Trial::name)
                .filter(name -> name.startsWith(PAIR))
                .map(name -> name.substring(PAIR.length()))
                .toList();
    }

    @Test
    void a_pair_with_one_starved_trial_is_renamed_and_measured_again() throws Exception {
        Set<String> starved = Set.of(PAIR + "1-with", PAIR + "3-without");
        Find.Result found = find(trial -> starved.contains(trial.name()) ? starved(trial) : trial);

        Applied applied = found.ladder().getFirst().remedy();
        assertThat(applied.throughput().pairs()).isEqualTo(3);
        assertThat(applied.throughput().ratio()).isCloseTo(2, within(0.1));
        assertThat(namesOfPairs(found))
                .containsExactly(
                        "1-without-discarded",
                        "1-with-discarded",
                        "2-without",
                        "2-with",
                        "3-with-discarded",
                        "3-without-discarded",
                        "4-with",
                        "4-without",
                        "5-without",
                        "5-with");
    }

    /// The experiment asks for five pairs. One pair has no interval.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void a_host_that_stays_busy_ends_the_find_after_twice_as_many_turns(int quiet)
            throws Exception {
        Find.Result found = find(trial -> turn(trial) > quiet ? starved(trial) : trial);

        assertThat(found.ended()).isEqualTo(Find.TOO_BUSY);
        assertThat(found.ladder()).hasSize(1);
        assertThat(found.ladder().getFirst().remedy()).isNull();
        assertThat(found.ladder().getFirst().without()).isEmpty();
        assertThat(namesOfPairs(found))
                .hasSize(20)
                .filteredOn(name -> name.endsWith("-discarded"))
                .hasSize(20 - 2 * quiet);
    }

    private static RunRecord.Trial invalid(RunRecord.Trial trial) {
        LoadOutcome load = trial.observation().load();
        return SimulatedTrials.trial(trial.name(), load, SimulatedTrials.invalid(), null);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, true"})
    void a_gain_is_a_lower_bound_if_the_generator_limits_most_trials_with_the_remedy(
            int turns, boolean lowerBound) throws Exception {
        Applied applied =
                applied(trial -> isWith(trial) && turn(trial) <= turns ? invalid(trial) : trial);

        assertThat(applied.throughput().pairs()).isEqualTo(3);
        assertThat(applied.lowerBound()).isEqualTo(lowerBound);
    }

    @Test
    void a_limited_generator_without_the_remedy_makes_no_lower_bound() throws Exception {
        assertThat(applied(trial -> isWith(trial) ? trial : invalid(trial)).lowerBound()).isFalse();
    }

    /// Without the remedy, in turn very many requests fail and few.
    private static RunRecord.Trial failingInTurn(RunRecord.Trial trial) {
        boolean many = turn(trial) % 2 == 1;
        long failed = isWith(trial) ? (many ? 0 : 9) : (many ? 9_000 : 20);
        return failing(trial, failed);
    }

    private static RunRecord.Trial failing(RunRecord.Trial trial) {
        return failing(trial, 100);
    }

    private static RunRecord.Trial failing(RunRecord.Trial trial, long failures) {
        LoadOutcome load = trial.observation().load();
        LoadOutcome failed =
                SampleLoad.of(
                        load.connections(),
                        load.seconds(),
                        load.answered(),
                        failures,
                        load.responseNanos());
        return SimulatedTrials.trial(trial.name(), failed, trial.diagnosis(), null);
    }

    private static RunRecord.Trial near(RunRecord.Trial trial, WallId wall) {
        Diagnosis diagnosis =
                new Diagnosis(
                        Verdict.NONE,
                        null,
                        List.of(),
                        List.of(),
                        null,
                        List.of(new Caveat.Near(wall, "its evidence moved")));
        return SimulatedTrials.trial(trial.name(), trial.observation().load(), diagnosis, null);
    }

    /// Requests fail without the remedy. With it none fails, but the evidence of a wall stays.
    private RunRecord.Trial mended(RunRecord.Trial trial, WallId stays, int turns) {
        if (!isWith(trial)) {
            return near(failing(trial), stays);
        }
        return turn(trial) <= turns ? near(trial, stays) : trial;
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECTION_CHURN, 2, true",
        "CONNECTION_CHURN, 1, false",
        "ACCEPT_QUEUE, 3, false"
    })
    void a_remedy_masks_a_cause_that_most_trials_with_it_still_show(
            WallId stays, int turns, boolean masked) throws Exception {
        Applied applied = applied(trial -> mended(trial, stays, turns));

        assertThat(applied.before().errors()).isEqualTo(300);
        assertThat(applied.after().errors()).isZero();
        assertThat(Stream.ofNullable(applied.masks()).toList())
                .isEqualTo(masked ? List.of(stays) : List.of());
    }

    @Test
    void two_pairs_of_five_are_too_few_to_say_that_nothing_moved_the_wall() throws Exception {
        Find.Result found = find(trial -> turn(trial) > 2 ? starved(trial) : trial);

        assertThat(found.ended()).isEqualTo(Find.TOO_BUSY);
        Applied applied = found.ladder().getFirst().without().getFirst();
        assertThat(applied.throughput().pairs()).isEqualTo(2);
        assertThat(applied.tooFewPairs()).isTrue();
        assertThat(KeepRule.missing(applied, Harm.THROUGHPUT)).startsWith("too few pairs");
    }

    @Test
    void a_generator_at_its_limit_proves_nothing_against_a_remedy() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        SimulatedService limited =
                new SimulatedService(
                        Map.of("8", 8),
                        0,
                        0.01,
                        random,
                        trial -> isWith(trial) ? invalid(trial) : trial);
        Find.Result found = SimulatedService.find(limited, folder);

        assertThat(found.ladder().getFirst().without()).hasSize(1);
        assertThat(found.ended()).isEqualTo(CapacityPairs.LIMITED);
    }

    /// Shares of failures that differ much need the rule for each pair, which is for the last look.
    @Test
    void the_last_pair_that_a_busy_host_leaves_is_the_last_look() throws Exception {
        SimulatedService service =
                new SimulatedService(
                        DOUBLING,
                        0,
                        0.01,
                        new SplittableRandom(3),
                        trial -> turn(trial) > 4 ? starved(trial) : failingInTurn(trial));
        Experiment experiment = SimulatedService.experiment(folder);
        Remedy remedy =
                new Remedy(
                        List.of(new Change(new Setting.OfKnob("web", "size"), "8", "16")), "none");
        Applied applied =
                new Verification(
                                service,
                                new Interruption(),
                                line -> {},
                                new Random(1),
                                new ArrayList<>())
                        .verify(
                                experiment,
                                remedy,
                                new Verification.At(Harm.ERRORS, 64, WarmUp.untilWarm(8), 1),
                                "rung-1-remedy-1");

        assertThat(applied.throughput().pairs()).isEqualTo(4);
        assertThat(applied.kept()).isTrue();
        assertThat(applied.tooFewPairs()).isFalse();
    }

    @Test
    void a_remedy_that_mends_nothing_masks_nothing() throws Exception {
        assertThat(applied(trial -> near(trial, WallId.CONNECTION_CHURN)).masks()).isNull();
    }
}
