package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.AcceptQueue;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Missing;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Objective;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.Condition;
import wallfinder.record.RunRecord;

class ObjectivesTest {
    private static final LoadOutcome LOAD = SimulatedTrials.load(10, 1_000, 60, 0);

    private static final Judgement.Binds CPU =
            new Judgement.Binds(new Cpu(), End.SERVER, Harm.THROUGHPUT, List.of());

    private static boolean met(String objective, LoadOutcome load, Diagnosis diagnosis) {
        List<Condition> all = Objectives.check(Objective.parse(objective), load, diagnosis);
        return all.stream().allMatch(Condition::met);
    }

    private static Diagnosis judged(String how) {
        Diagnosis queue = SimulatedTrials.named(Harm.ERRORS);
        return switch (how) {
            case "none" -> SimulatedTrials.none();
            case "unnamed" -> SimulatedTrials.unnamed();
            case "invalid" -> SimulatedTrials.invalid();
            case "queue" -> queue;
            case "queue and cpu" ->
                    new Diagnosis(
                            Verdict.NAMED,
                            queue.headline(),
                            List.of(CPU),
                            List.of(),
                            null,
                            List.of());
            case "cpu, queue unknown" ->
                    new Diagnosis(
                            Verdict.NAMED,
                            CPU,
                            List.of(),
                            List.of(
                                    new Judgement.Unknown(
                                            new AcceptQueue(), Missing.SERVER, "not watched")),
                            null,
                            List.of());
            default -> throw new IllegalArgumentException(how);
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wall != accept-queue | none | true",
                "wall != accept-queue | unnamed | true",
                "wall != accept-queue | queue | false",
                "wall != cpu | queue | true",
                "wall != cpu | queue and cpu | false",
                "wall == cpu | queue and cpu | false",
                "wall == accept-queue | queue and cpu | true",
                "wall == accept-queue | none | false",
                "wall != accept-queue | cpu, queue unknown | false",
                "wall == none | none | true",
                "wall == none | unnamed | false",
                "wall == none | queue | false",
                "wall == none | invalid | false",
                "wall != none | none | false",
                "wall != none | unnamed | true",
                "wall != none | queue | true",
                "wall != none | invalid | false",
            })
    void a_condition_of_the_wall_is_met_or_missed(String objective, String verdict, boolean met) {
        assertThat(met(objective, LOAD, judged(verdict))).isEqualTo(met);
    }

    @Test
    void a_load_without_a_good_answer_meets_no_condition_of_the_wall() {
        LoadOutcome nothing = SimulatedTrials.load(10, 0, 1, 0);
        assertThat(met("wall == none", nothing, SimulatedTrials.none())).isFalse();
        assertThat(met("wall != cpu", nothing, SimulatedTrials.none())).isFalse();
    }

    /// As of a service that is in a deadlock: nothing says what its answers would have met.
    @Test
    void a_wall_without_a_good_answer_meets_no_condition_of_the_wall() {
        LoadOutcome nothing = SimulatedTrials.load(10, 0, 1, 40);
        List<String> objectives =
                List.of("wall == none", "wall != none", "wall != cpu", "wall == accept-queue");
        for (String verdict : List.of("unnamed", "queue")) {
            for (String objective : objectives) {
                assertThat(Objectives.check(Objective.parse(objective), nothing, judged(verdict)))
                        .extracting(Condition::text)
                        .containsExactly(objective + ": unknown: no good answer");
                assertThat(met(objective, nothing, judged(verdict))).as(objective).isFalse();
            }
        }
    }

    /// As of a service that hangs for good at three quarters of the load.
    @Test
    void requests_that_wait_in_vain_at_the_end_have_failed() {
        LoadOutcome.Requests load = (LoadOutcome.Requests) LOAD;
        LoadOutcome hung = SampleLoad.hung(load, 600);
        assertThat(
                        Objectives.check(
                                Objective.parse("p50<70ms,p99<70ms,mean<70ms,errors<1%"),
                                hung,
                                SimulatedTrials.none()))
                .extracting(Condition::text)
                .containsExactly(
                        "p50 < 70.0 ms: 60.0 ms (23.08 % of the requests failed)",
                        "p99 < 70.0 ms: no answer at the end",
                        "mean < 70.0 ms: no answer at the end",
                        "errors < 1 %: 23.08 %");
        LoadOutcome slow =
                SampleLoad.hung((LoadOutcome.Requests) SimulatedTrials.load(10, 5, 2_500, 0), 9);
        assertThat(met("p99<3s,errors<1%", slow, SimulatedTrials.none()))
                .as("the others took that long, too")
                .isTrue();
    }

    /// A service that refuses a tenth of its requests at once is as fast as before for the others.
    @Test
    void a_request_without_a_good_answer_is_slower_than_any_bound_of_a_percentile() {
        LoadOutcome.Requests load = (LoadOutcome.Requests) LOAD;
        LoadOutcome refusing = SampleLoad.refusing(load, load.answered() / 9);
        LoadOutcome resetting = SimulatedTrials.load(10, 900, 60, 200);
        for (LoadOutcome failing : List.of(refusing, resetting)) {
            assertThat(
                            Objectives.check(
                                    Objective.parse("p50<70ms,p99<70ms,max<70ms,mean<70ms"),
                                    failing,
                                    SimulatedTrials.none()))
                    .extracting(Condition::text)
                    .containsExactly(
                            "p50 < 70.0 ms: 60.0 ms (%s %% of the requests failed)"
                                    .formatted(failing == resetting ? "10" : "9.99"),
                            "p99 < 70.0 ms: %s %% of the requests failed"
                                    .formatted(failing == resetting ? "10" : "9.99"),
                            "max < 70.0 ms: 60.0 ms",
                            "mean < 70.0 ms: 60.0 ms");
        }
        assertThat(met("p99<70ms", SimulatedTrials.load(10, 995, 60, 10), SimulatedTrials.none()))
                .as("no more than one in a hundred failed")
                .isTrue();
    }

    @Test
    void each_condition_has_what_was_asked_and_what_was_measured() {
        assertThat(
                        Objectives.check(
                                Objective.parse("p99.9<50ms,errors<=0.1%,rate>5k,wall!=cpu"),
                                LOAD,
                                SimulatedTrials.named(Harm.ERRORS)))
                .extracting(Condition::text)
                .containsExactly(
                        "p99.9 < 50.0 ms: 60.0 ms",
                        "errors <= 0.10 %: 0 %",
                        "throughput > 5,000.0/s: 1,000.0/s",
                        "wall != cpu: accept-queue");
    }

    /// `wall == cpu` is missed below every wall, and a climb has to go on there.
    @Test
    void only_a_figure_that_is_missed_ends_a_climb_below_the_wall() {
        RunRecord.Trial trial = SimulatedTrials.trial("t", LOAD, SimulatedTrials.none(), null);
        List<Condition> wall =
                Objectives.check(Objective.parse("wall==cpu"), LOAD, trial.diagnosis());
        List<Condition> figure =
                Objectives.check(Objective.parse("p99<1ms"), LOAD, trial.diagnosis());
        assertThat(trial.checked(wall).objectiveMet()).isFalse();
        assertThat(trial.checked(wall).missesFigures()).isFalse();
        assertThat(trial.checked(figure).missesFigures()).isTrue();
    }
}
