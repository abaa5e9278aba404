package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Setting;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.trial.Climb;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// `find` on simulated services whose true behaviour is known.
final class FindOnSimulatedServicesTest {
    private static final Map<String, Integer> PLACEBO = Map.of("8", 8);
    private static final Map<String, Integer> DOUBLING = Map.of("8", 8, "16", 16);
    private static final int FINDS = 40;

    @TempDir Path folder;

    private RunRecord.Rung firstRung(SimulatedService service) throws Exception {
        return SimulatedService.find(service, folder).ladder().getFirst();
    }

    @Test
    void a_knob_that_does_nothing_gains_nothing_in_forty_finds() throws Exception {
        int gains = 0;
        for (int seed = 1; seed <= FINDS; seed++) {
            SimulatedService placebo =
                    new SimulatedService(PLACEBO, 0, 0.1, new SplittableRandom(seed));
            gains += firstRung(placebo).remedy() != null ? 1 : 0;
        }
        assertThat(gains).isLessThanOrEqualTo(3);
    }

    @Test
    void a_service_that_starts_cold_gains_nothing_from_a_knob_that_does_nothing() throws Exception {
        for (int seed = 1; seed <= 5; seed++) {
            SimulatedService cold =
                    new SimulatedService(PLACEBO, 20_000, 0.02, new SplittableRandom(seed));
            RunRecord.Rung rung = firstRung(cold);
            assertThat(rung.remedy()).isNull();
            assertThat(rung.without()).hasSize(1);
            assertThat(rung.without().getFirst().throughput().effect())
                    .isEqualTo(RatioInterval.Effect.NONE);
        }
    }

    @Test
    void the_gain_of_a_service_that_starts_cold_is_that_of_the_warm_one() throws Exception {
        SimulatedService cold =
                new SimulatedService(DOUBLING, 20_000, 0.02, new SplittableRandom(7));
        Find.Result result = SimulatedService.find(cold, folder);
        RunRecord.Rung rung = result.ladder().getFirst();
        RunRecord.Trial climb = result.trials().get(rung.trial());

        assertThat(rung.remedy()).isNotNull();
        assertThat(rung.remedy().throughput().ratio()).isCloseTo(2, within(0.1));
        assertThat(rung.remedy().before().perSecond())
                .isCloseTo(climb.observation().load().throughput(), within(80.0));
        assertThat(climb.caveats()).extracting(Caveat::id).doesNotContain("climb-differs");
    }

    @Test
    void the_rate_of_a_service_that_starts_under_the_load_is_measured_too() throws Exception {
        SimulatedService cold = new SimulatedService(DOUBLING, 20_000, 0, new SplittableRandom(7));
        RunRecord.Rung rung = firstRung(cold);

        assertThat(rung.startedUnderLoad()).isCloseTo(80, within(1.0));
        assertThat(rung.remedy().before().perSecond()).isCloseTo(800, within(1.0));
    }

    @Test
    void a_clear_gain_is_decided_by_three_pairs() throws Exception {
        SimulatedService clear = new SimulatedService(DOUBLING, 0, 0.01, new SplittableRandom(3));
        assertThat(firstRung(clear).remedy().throughput().pairs()).isEqualTo(3);
    }

    @Test
    void both_arms_give_as_many_answers_before_the_load_as_the_climb_did() throws Exception {
        SimulatedService cold = new SimulatedService(DOUBLING, 20_000, 0, new SplittableRandom(7));
        Climb.Climbed climbed =
                cold.climb(
                        SimulatedService.experiment(folder), Climb.Start.FIRST, "c", trial -> {});
        assertThat(climbed.before().connections()).isEqualTo(8);
        assertThat(climbed.before().answers()).isGreaterThan(20_000);
        assertThat(climbed.trials().getLast().name()).isEqualTo("c-wall-64");
    }

    @Test
    void a_kernel_setting_is_not_tested_on_the_hosts_own_network() {
        Remedy kernel = changing(new Setting.OfSysctl(true, "net.core.somaxconn"));
        Remedy knob = changing(new Setting.OfKnob("web", "size"));

        assertThat(Find.canBeApplied(kernel, SimulatedTrials.facts("host"))).isFalse();
        assertThat(Find.canBeApplied(kernel, SimulatedTrials.facts("namespaces"))).isTrue();
        assertThat(Find.canBeApplied(knob, SimulatedTrials.facts("host"))).isTrue();
    }

    @Test
    void a_missed_objective_without_a_wall_is_the_reason_of_the_end() {
        LoadOutcome load = SimulatedTrials.load(8, 100, 5, 0);
        assertThat(
                        Find.ended(
                                SimulatedTrials.trial("t", load, SimulatedTrials.none(), false),
                                false))
                .isEqualTo("the objective was missed, and no wall was reached");
        assertThat(
                        Find.ended(
                                SimulatedTrials.trial("t", load, SimulatedTrials.none(), true),
                                false))
                .isEqualTo("no wall up to the largest load");
    }

    private static Remedy changing(Setting setting) {
        return new Remedy(List.of(new Change(setting, "128", "4096")), "memory");
    }

    @Test
    void a_defect_in_the_pairs_loses_no_trial() throws Exception {
        IllegalStateException defect = new IllegalStateException("a defect");
        SimulatedService service =
                new SimulatedService(
                        DOUBLING,
                        0,
                        0.01,
                        new SplittableRandom(3),
                        trial -> {
                            throw defect;
                        });
        Find.Result result = SimulatedService.find(service, folder);
        assertThat(result.failure()).isSameAs(defect);
        assertThat(result.ended()).startsWith("it failed: a defect in Wallfinder itself");
        assertThat(result.trials()).isNotEmpty();
    }
}
