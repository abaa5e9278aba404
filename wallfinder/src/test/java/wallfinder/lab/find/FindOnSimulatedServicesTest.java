package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.EphemeralPorts;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
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
        assertThat(result.anyVerified()).isTrue();
        assertThat(result.last()).isSameAs(result.trials().get(result.ladder().getLast().trial()));
    }

    @Test
    void the_rate_of_a_service_that_starts_under_the_load_is_measured_too() throws Exception {
        SimulatedService cold = new SimulatedService(DOUBLING, 20_000, 0, new SplittableRandom(7));
        RunRecord.Rung rung = firstRung(cold);

        assertThat(rung.startedUnderLoad()).isCloseTo(80, within(1.0));
        assertThat(rung.remedy().before().perSecond()).isCloseTo(800, within(1.0));
    }

    @Test
    void without_a_gain_the_first_wall_is_the_last() throws Exception {
        SimulatedService placebo = new SimulatedService(PLACEBO, 0, 0.01, new SplittableRandom(1));
        Find.Result result = SimulatedService.find(placebo, folder);
        assertThat(result.anyVerified()).isFalse();
        assertThat(result.ladder()).hasSize(1);
        assertThat(result.ended()).isEqualTo("no remedy that the experiment allows moved the wall");
    }

    /// Fresh processes serve half of what the process of the climb did.
    @Test
    void pairs_of_a_remedy_that_moved_nothing_may_contradict_the_climb() throws Exception {
        Find.Result result =
                find(
                        new Interruption(),
                        trial -> {
                            LoadOutcome load = trial.observation().load();
                            LoadOutcome half =
                                    SampleLoad.of(
                                            load.connections(),
                                            load.seconds(),
                                            load.answered() / 2,
                                            0,
                                            load.responseNanos());
                            return SimulatedTrials.trial(
                                    trial.name(), half, trial.diagnosis(), null);
                        });

        assertThat(result.anyVerified()).isFalse();
        assertThat(result.last().caveats()).extracting(Caveat::id).contains("climb-differs");
    }

    @Test
    void each_step_is_said_when_it_begins_or_ends() throws Exception {
        List<String> lines = new ArrayList<>();
        SimulatedService service =
                new SimulatedService(DOUBLING, 20_000, 0, new SplittableRandom(7));
        new Find(service, new Interruption(), lines::add).run(SimulatedService.experiment(folder));
        assertThat(String.join("\n", lines))
                .containsSubsequence(
                        "800 requests/s with 64 connections: server-concurrency\n",
                        "testing size 8 -> 16\n",
                        "    pair 1 of at most 5: 800.0/s without, 1,600.0/s with\n",
                        "    pair 3 of at most 5: 800.0/s without, 1,600.0/s with\n",
                        "  size 8 -> 16: 2.00 times",
                        "  starting the service under this load, without the remedy\n",
                        "1,600 requests/s with 64 connections: server-concurrency");
    }

    @Test
    void a_setting_to_try_is_compared_but_moves_nothing() throws Exception {
        SimulatedService service = new SimulatedService(DOUBLING, 0, 0.01, new SplittableRandom(3));
        Find.Result result =
                new Find(service, new Interruption(), line -> {})
                        .run(SimulatedService.experiment(folder, "try: [size]\n"));
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.tried()).hasSize(1);
        assertThat(rung.tried().getFirst().throughput().ratio()).isCloseTo(2, within(0.1));
        assertThat(result.ladder().getLast().tried()).isEmpty();
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

    /// The same services on the host's own network, with a wall whose remedy is a kernel setting.
    private static TrialRunner onTheHost(SimulatedService service) {
        return new TrialRunner() {
            @Override
            public Climb.Climbed climb(
                    Experiment experiment,
                    Climb.Start start,
                    String label,
                    Consumer<RunRecord.Trial> keep) {
                return service.climb(experiment, start, label, trial -> keep.accept(host(trial)));
            }

            @Override
            public RunRecord.Trial single(
                    Experiment experiment, int connections, WarmUp warmUp, String name) {
                return service.single(experiment, connections, warmUp, name);
            }

            @Override
            public Optional<Profiled> profile(
                    Experiment experiment, int connections, WarmUp warmUp, String name) {
                return Optional.empty();
            }

            @Override
            public Optional<Seen> profileOnce(
                    Experiment experiment, int connections, WarmUp warmUp, String name) {
                return Optional.empty();
            }
        };
    }

    private static RunRecord.Trial host(RunRecord.Trial trial) {
        boolean wall = trial.diagnosis().verdict() == Verdict.NAMED;
        TreeMap<String, String> ports =
                new TreeMap<>(Map.of("net.ipv4.ip_local_port_range", "32768 60999"));
        Judgement.Binds binds =
                new Judgement.Binds(new EphemeralPorts(), End.CLIENT, Harm.THROUGHPUT, List.of());
        return new RunRecord.Trial(
                trial.name(),
                trial.factors(),
                new Observation(
                        trial.observation().load(),
                        trial.observation().timeline(),
                        new SandboxFacts(
                                "host",
                                ports,
                                ports,
                                1,
                                1,
                                false,
                                Limits.NONE,
                                true,
                                List.of(),
                                List.of())),
                wall ? SimulatedTrials.diagnosis(Verdict.NAMED, binds, null) : trial.diagnosis(),
                trial.caveats(),
                trial.objectiveMet());
    }

    @Test
    void a_remedy_that_needs_network_namespaces_is_not_said_to_be_missing() throws Exception {
        SimulatedService service = new SimulatedService(PLACEBO, 0, 0.01, new SplittableRandom(1));
        Find.Result result =
                new Find(onTheHost(service), new Interruption(), line -> {})
                        .run(SimulatedService.experiment(folder));

        assertThat(result.ended())
                .isEqualTo(
                        "the remedies of this wall need network namespaces: without network"
                                + " namespaces a run changes no kernel setting");
        assertThat(result.ladder().getFirst().unmeasured()).isNotEmpty();
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

    @ParameterizedTest
    @CsvSource({
        "SERVER, false, the CPU limits the service: no setting moves that",
        "CLIENT, false, the CPU limits the client: no setting moves that",
        "SERVER, true, no remedy that the experiment allows moved the wall"
    })
    void a_full_cpu_ends_the_climb_as_what_it_is(End end, boolean tried, String ended) {
        Judgement.Binds full = new Judgement.Binds(new Cpu(), end, Harm.THROUGHPUT, List.of());
        RunRecord.Trial trial =
                SimulatedTrials.trial(
                        "t",
                        SimulatedTrials.load(8, 100, 5, 0),
                        SimulatedTrials.diagnosis(Verdict.NAMED, full, null),
                        null);
        assertThat(Find.ended(trial, tried)).isEqualTo(ended);
    }

    @ParameterizedTest
    @CsvSource({
        "idle: true, leave `idle` and `push` out",
        "push: true, leave `idle` and `push` out",
        "onError: reconnect, leave `onError` out",
        "onError: stop, leave `onError` out"
    })
    void find_says_what_it_cannot_raise(String key, String todo) throws Exception {
        assertThatThrownBy(() -> Find.check(held(key)))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        refused -> {
                            assertThat(refused).hasMessageContaining("find cannot raise");
                            assertThat(refused.todo()).startsWith(todo);
                        });
    }

    @Test
    void find_raises_requests_and_connections_that_carry_messages() throws Exception {
        assertThatCode(() -> Find.check(held("interval: 2s"))).doesNotThrowAnyException();
        assertThatCode(() -> Find.check(SimulatedService.experiment(folder)))
                .doesNotThrowAnyException();
    }

    private Experiment held(String key) throws Exception {
        return ExperimentFile.read(
                Files.writeString(
                        folder.resolve("held.yaml"),
                        """
                        services: { echo: { command: "true", ready: "tcp://{server}:80" } }
                        load: { hold: "tcp://{server}:80", connections: 9, %s }
                        """
                                .formatted(key)));
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
        assertThat(result.ladder()).hasSize(1);
    }

    /// `lanes` is a second knob, which does nothing.
    private Find.Result find(Interruption interruption, UnaryOperator<RunRecord.Trial> seen)
            throws Exception {
        String knob = "size: { value: 8, moves: server-concurrency, max: 16 }";
        String text = SimulatedService.experiment(folder).text();
        Path file =
                Files.writeString(
                        folder.resolve("two.yaml"),
                        text.replace(knob, knob + ", " + knob.replace("size", "lanes"))
                                .replace("{size}", "{size} {lanes}"));
        SplittableRandom random = new SplittableRandom(3);
        return new Find(
                        new SimulatedService(PLACEBO, 0, 0.01, random, seen),
                        interruption,
                        line -> {})
                .run(ExperimentFile.read(file));
    }

    private static UnaryOperator<RunRecord.Trial> refusing(String names) {
        return trial -> {
            if (trial.name().matches(names)) {
                throw new NotStarted(
                        new EnvironmentException(
                                "the service web ended before it was ready",
                                "it ended with exit code 1; its last lines were\n    at most 8",
                                "read its log"));
            }
            return trial;
        };
    }

    private static List<String> remedies(List<RunRecord.Unmeasured> unmeasured) {
        return unmeasured.stream().map(one -> one.remedy().text()).toList();
    }

    @Test
    void a_service_that_does_not_start_with_one_remedy_is_tested_with_the_next() throws Exception {
        Find.Result result = find(new Interruption(), refusing("rung-1-remedy-1-pair-1-with"));

        assertThat(result.failure()).isNull();
        assertThat(result.ended()).isEqualTo("no remedy that the experiment allows moved the wall");
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(remedies(rung.unmeasured())).containsExactly("size 8 -> 16");
        assertThat(rung.unmeasured().getFirst().why())
                .isEqualTo(
                        "the service did not start with it: the service web ended before it was"
                                + " ready: it ended with exit code 1; its last lines were at most 8");
        assertThat(rung.without())
                .extracting(applied -> applied.remedy().text())
                .containsExactly("lanes 8 -> 16");
        assertThat(rung.advice()).isNotEmpty();
    }

    @Test
    void a_service_that_starts_with_no_remedy_keeps_its_wall() throws Exception {
        Find.Result result = find(new Interruption(), refusing(".*-with"));

        assertThat(result.failure()).isNull();
        assertThat(result.ended())
                .isEqualTo(
                        "no remedy was proven: the service did not start with those that were tested");
        assertThat(remedies(result.ladder().getFirst().unmeasured()))
                .containsExactly("size 8 -> 16", "lanes 8 -> 16");
        assertThat(result.last().diagnosis().wallId()).contains("server-concurrency");
    }

    @Test
    void a_service_that_does_not_start_without_the_remedy_ends_the_find() throws Exception {
        Find.Result result = find(new Interruption(), refusing("rung-1-remedy-2-pair-2-without"));

        assertThat(result.failure()).isInstanceOf(EnvironmentException.class);
        assertThat(result.ended()).startsWith("it failed: the service web ended");
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.without())
                .extracting(applied -> applied.remedy().text())
                .containsExactly("size 8 -> 16");
        assertThat(rung.unmeasured())
                .extracting(one -> one.remedy().text() + ": " + one.why())
                .containsExactly("lanes 8 -> 16: the run ended before its measurement did");
    }

    @Test
    void a_stop_by_the_user_loses_no_remedy_that_was_tested() throws Exception {
        Interruption interruption = new Interruption();
        Find.Result result =
                find(
                        interruption,
                        trial -> {
                            if (trial.name().equals("rung-1-remedy-2-pair-3-with")) {
                                interruption.request();
                            }
                            return trial;
                        });

        assertThat(result.ended()).isEqualTo(Find.INTERRUPTED);
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.without()).hasSize(1);
        assertThat(remedies(rung.unmeasured())).containsExactly("lanes 8 -> 16");
    }

    /// Ctrl-C may end a service, too.
    @Test
    void a_start_that_the_user_stopped_is_no_failure_of_the_service() {
        Interruption interruption = new Interruption();
        interruption.request();
        assertThatThrownBy(() ->
                        NotStarted.unless(
                                () -> {
                                    throw new EnvironmentException("a", "b", "c");
                                },
                                interruption))
                .isInstanceOf(CancellationException.class);
    }
}
