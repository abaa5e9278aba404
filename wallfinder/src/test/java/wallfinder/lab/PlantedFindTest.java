package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.lab.find.Find;
import wallfinder.observation.End;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// `find` on unfamiliar walls: other names of knobs, other ports, servers in other languages.
@Tag("sandbox")
class PlantedFindTest extends PlantedTest {
    /// On a shared machine a climb may rightly end at a starved generator. The test measures this
    /// often before it fails.
    private static final int ATTEMPTS_MAX = 4;

    private Find.Result find(String yaml) throws Exception {
        return find(yaml, true);
    }

    private Find.Result find(String yaml, boolean wantsLadder) throws Exception {
        Find.Result result = run.find(yaml);
        for (int attempt = 2; starved(result) && attempt <= ATTEMPTS_MAX; attempt++) {
            result = run.find(yaml);
        }
        if (wantsLadder) {
            assertThat(result.ladder()).as(run.output()).isNotEmpty();
        }
        return result;
    }

    private static boolean starved(Find.Result result) {
        return result.ladder().size() == 1
                && result.last().diagnosis().verdict() != Verdict.NAMED
                && PlantedRun.starved(result.last());
    }

    private String describe(Find.Result result) {
        return run.output()
                + "\nended: "
                + result.ended()
                + "\n"
                + PlantedRun.describe(result.last());
    }

    @Test
    void a_queue_of_another_name_port_and_language_is_found_and_raised() throws Exception {
        run.stopAfterFirstRung();
        Find.Result result =
                find(
                        """
                        services:
                          front:
                            command: >-
                              python3 $server.py --port 9091 --backlog {queueLength}
                              --accept-pause 20 --latency 10
                            ready: { log: ready }
                            knobs: { queueLength: { value: 64, moves: accept-queue, max: 65535 } }
                        sandbox: { server: { net.core.somaxconn: 64 } }
                        load: { url: "http://{server}:9091/", connections: 300, keepalive: false,
                          arrival: lockstep, warmup: 0s, duration: 2s }
                        repeat: 3
                        """);
        RunRecord.Rung rung = result.ladder().getFirst();
        PlantedRun.assertNamed(result.trials().get(rung.trial()), "accept-queue", End.SERVER);
        assertThat(rung.remedy()).as(describe(result)).isNotNull();
        assertThat(rung.remedy().remedy().changes())
                .containsExactly(
                        new Change(new Setting.OfKnob("front", "queueLength"), "64", "4096"),
                        new Change(new Setting.OfSysctl(true, "net.core.somaxconn"), "64", "4096"));
        assertThat(rung.remedy().kept()).isTrue();
        // Pairs that the host disturbed are left out.
        assertThat(rung.remedy().throughput().pairs()).isBetween(2, 3);
        assertThat(rung.remedy().throughput().low()).as(describe(result)).isGreaterThan(1);
        assertThat(rung.remedy().after().errors()).isZero();
    }

    @Test
    @Tag("long")
    void a_pool_of_another_name_is_found_and_a_longer_queue_has_no_effect() throws Exception {
        run.stopAfterFirstRung();
        Find.Result result =
                find(
                        """
                        services:
                          front:
                            command: >-
                              python3 $server.py --port 9092 --backlog {queueLength}
                              --workers {lanes} --latency 20
                            ready: { log: ready }
                            knobs:
                              lanes: { value: 4, moves: server-concurrency, max: 128 }
                              queueLength: { value: 64, moves: accept-queue, max: 65535 }
                        sandbox: { server: { net.core.somaxconn: 4096 } }
                        load: { url: "http://{server}:9092/", connections: 48, warmup: 0s,
                          duration: 1s }
                        try: [queueLength]
                        repeat: 3
                        """);
        RunRecord.Rung rung = result.ladder().getFirst();
        PlantedRun.assertNamed(result.trials().get(rung.trial()), "server-concurrency", End.SERVER);
        assertThat(rung.tried()).hasSize(1);
        Applied queue = rung.tried().getFirst();
        assertThat(queue.remedy().changes())
                .containsExactly(
                        new Change(new Setting.OfKnob("front", "queueLength"), "64", "1024"));
        assertThat(rung.remedy()).as(describe(result)).isNotNull();
        PlantedRun.assertChanged(rung, new Setting.OfKnob("front", "lanes"), "4", "48");
        assertThat(rung.remedy().throughput().low()).as(describe(result)).isGreaterThan(1);
        // One interval in twenty misses 1 by chance; this comparison does not depend on chance.
        assertThat(queue.kept()).isFalse();
        assertThat(queue.throughput().ratio())
                .as(describe(result))
                .isLessThan(rung.remedy().throughput().low());
    }

    @Test
    @Tag("long")
    void find_ends_at_the_cpu() throws Exception {
        Find.Result result =
                find(
                        """
                        services:
                          front: { command: python3 $server.py --port 9093 --cpu 1,
                            ready: { log: ready } }
                        load: { url: "http://{server}:9093/", connections: 8, warmup: 0s, duration: 1s }
                        repeat: 2
                        """);
        assertThat(result.ladder()).hasSize(1);
        PlantedRun.assertNamed(result.last(), "cpu", End.SERVER);
        assertThat(result.ended()).isEqualTo("the CPU limits the service: no setting moves that");
        assertThat(result.ladder().getFirst().advice()).isNotEmpty();
        assertThat(result.anyVerified()).isFalse();
        RunRecord.Profile profile = result.ladder().getFirst().profile();
        assertThat(profile).isNotNull();
        assertThat(profile.cpu().microsPerAnswer()).isBetween(900.0, 4_000.0);
        assertThat(profile.cpu().parts())
                .extracting(CpuProfile.Part::kind)
                .contains(CpuProfile.Kind.PROCESS, CpuProfile.Kind.KERNEL);
        assertThat(profile.cost()).isNotNull();
    }

    @Test
    @Tag("long")
    void without_a_knob_for_the_wall_find_ends_with_advice() throws Exception {
        Find.Result result =
                find(
                        """
                        services:
                          front: { command: python3 $server.py --port 9094 --workers 2 --latency 20,
                            ready: { log: ready } }
                        load: { url: "http://{server}:9094/", connections: 16, warmup: 0s,
                          duration: 1s }
                        repeat: 2
                        """);
        assertThat(result.ladder()).hasSize(1);
        PlantedRun.assertNamed(result.last(), "server-concurrency", End.SERVER);
        assertThat(result.ended()).isEqualTo("the experiment has no remedy for this wall");
        assertThat(result.ladder().getFirst().advice()).isNotEmpty();
    }

    @Tag("long")
    @Test
    void a_remedy_without_effect_is_rolled_back_and_reported() throws Exception {
        Find.Result result =
                find(
                        """
                        services:
                          front:
                            command: >-
                              env IGNORED={lanes} python3 $server.py --port 9095
                              --workers 2 --latency 20
                            ready: { log: ready }
                            knobs: { lanes: { value: 2, moves: server-concurrency, max: 128 } }
                        load: { url: "http://{server}:9095/", connections: 16, warmup: 0s,
                          duration: 1s }
                        repeat: 2
                        """);
        assertThat(result.ladder()).as(describe(result)).hasSize(1);
        RunRecord.Rung rung = result.ladder().getFirst();
        PlantedRun.assertNamed(result.last(), "server-concurrency", End.SERVER);
        assertThat(rung.remedy()).isNull();
        assertThat(rung.without()).hasSize(1);
        assertThat(rung.without().getFirst().kept()).isFalse();
        assertThat(rung.advice()).isNotEmpty();
        assertThat(result.ended()).isEqualTo("no remedy that the experiment allows moved the wall");
    }

    @Test
    void an_interrupted_find_keeps_what_was_measured() throws Exception {
        run.onLive(state -> {
            if (state.startsWith("4 connections")) {
                run.interruption().request();
            }
        });
        Find.Result result =
                run.find(
                        """
                        services:
                          front: { command: python3 $server.py --port 9096 --latency 20,
                            ready: { log: ready } }
                        load: { url: "http://{server}:9096/", connections: 32, warmup: 0s,
                          duration: 1s }
                        repeat: 2
                        """);
        assertThat(result.ended()).isEqualTo(Find.INTERRUPTED);
        assertThat(result.trials().stream().map(RunRecord.Trial::name))
                .isEqualTo(List.of("climb-1-connections-2", "climb-1-connections-4"));
        assertThat(result.trials().getFirst().observation().load().answered()).isPositive();
        assertThat(result.ladder()).isEmpty();
    }

    @Test
    @Tag("long")
    void a_service_that_does_not_start_with_the_remedy_keeps_its_wall() throws Exception {
        Find.Result result =
                find(
                        """
                        services:
                          front:
                            command: >-
                              sh -c 'test {lanes} -lt 10 || exit 7;
                              exec python3 $server.py --port 9092 --workers {lanes} --latency 20'
                            ready: { log: ready }
                            knobs: { lanes: { value: 4, moves: server-concurrency, max: 128 } }
                        load: { url: "http://{server}:9092/", connections: 48, warmup: 0s,
                          duration: 1s }
                        repeat: 2
                        """,
                        false);
        assertThat(result.failure()).isNull();
        assertThat(result.ended()).contains("the service did not start with those");
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(rung.unmeasured())
                .singleElement()
                .satisfies(one -> assertThat(one.why()).contains("exit code 7"));
        assertThat(result.trials().get(rung.trial()).diagnosis().wallId())
                .contains("server-concurrency");
    }
}
