package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// Programs that drive the load are watched and judged like services.
@Tag("sandbox")
class CommandLoadTest extends PlantedTest {
    /// The client has 24 local ports. The end of each answer comes after its beginning, so it
    /// closes about fifteen connections a second and has no port left after a second. With
    /// tcp_tw_reuse the kernel uses a port again one second after its connection was closed.
    private static final String STREAMS =
            """
            services:
              hatter: { command: python3 $server.py --port 8081 --rest 8, ready: { log: ready } }
            sandbox:
              client: { net.ipv4.ip_local_port_range: "32768 32791", net.ipv4.tcp_tw_reuse: 2 }
            load:
              command: "{jvm}/bin/java -XX:TieredStopAtLevel=1 -cp %1$s StreamClient http://{server}:8081/ 4 28 60 {march}"
              knobs: { march: { value: some, to: [all], moves: connection-churn } }
              measure: { requests: 'calls: (\\d+)', seconds: 'in ([\\d.]+) s', errors: 'failed: (\\d+)' }
              duration: 30s
            try: [net.ipv4.tcp_tw_reuse]
            repeat: 2
            """;

    @Tag("long")
    @Test
    void find_moves_the_knob_that_ends_the_churn_and_says_which_remedy_only_masks_it()
            throws Exception {
        PlantedRun.compiled("StreamClient.java", folder);
        RunRecord.Rung rung =
                run.firstRung(STREAMS.formatted(folder), "connection-churn", End.CLIENT);
        assertThat(rung.without()).isEmpty();
        PlantedRun.assertChanged(rung, new Setting.OfKnob("load", "march"), "some", "all");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().after().errors()).isZero();
        assertThat(rung.remedy().masks()).isNull();
        Applied reuse = rung.tried().getFirst();
        assertThat(reuse.remedy().text()).isEqualTo("net.ipv4.tcp_tw_reuse 2 -> 1");
        assertThat(reuse.p99().ratio()).as("a command that reports no times").isNaN();
        assertThat(reuse.masks()).as(run.output()).isEqualTo(WallId.CONNECTION_CHURN);
        assertThat(run.output()).contains("; it masks connection-churn");
    }

    private RunRecord.Trial trial(String command, String duration) throws Exception {
        return run.control(
                """
                services:
                  idle: { command: "sh -c 'echo up; exec sleep 60'", ready: { log: up } }
                load:
                  command: %s
                  env: { ANSWERS: 12 }
                  duration: %s
                  measure: { requests: '(\\d+) answers', errors: '(\\d+) errors' }
                """
                        .formatted(command, duration),
                0);
    }

    @Test
    void a_client_that_always_computes_is_at_its_own_cpu() throws Exception {
        RunRecord.Trial trial =
                trial("\"sh -c 'echo $ANSWERS answers; while :; do :; done'\"", "2500ms");
        assertThat(trial.caveats())
                .extracting(Caveat::id)
                .containsExactlyInAnyOrder("whole-life", "measure-not-found", "load-stopped");
        assertThat(trial.observation().load().answered()).isEqualTo(12);
        double cpuSeconds = ((LoadOutcome.Command) trial.observation().load()).clientCpuSeconds();
        assertThat(cpuSeconds).isGreaterThan(1);
        assertThat(trial.observation().timeline().find(ProcessFigure.RSS.of("load"), End.CLIENT))
                .hasValueSatisfying(rss -> assertThat(rss.max()).isPositive());
        if (cpuSeconds > 2.4) {
            PlantedRun.assertVerdict(trial, Verdict.NAMED);
            assertThat(trial.diagnosis().wallId()).contains("cpu");
            assertThat(trial.diagnosis().headline().end()).isEqualTo(End.CLIENT);
        }
    }

    @Test
    void the_jvm_of_a_load_is_reported_with_its_missing_class_archive() throws Exception {
        RunRecord.Trial trial = trial("\"{jvm}/bin/java -Xshare:off -version\"", "20s");
        SandboxFacts.ServiceFacts load = trial.observation().facts().services().getLast();
        assertThat(load.name()).isEqualTo("load");
        assertThat(load.runtime().version()).isEqualTo(System.getProperty("java.version"));
        assertThat(load.runtime().archive()).isEqualTo("no archive: -Xshare:off");
        assertThat(PlantedRun.doubts(trial)).contains("no-class-archive:load");
        assertThat(trial.observation().facts().services().getFirst().runtime()).isNull();
    }

    /// The client makes two hundred connections as a warm-up, and then counts twenty in one second.
    private static final String WARMING =
            """
            import socket, time
            def ask():
                with socket.create_connection(("198.18.0.1", 8081)) as s:
                    s.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                    while s.recv(4096): pass
            for _ in range(200): ask()
            time.sleep(0.4)
            print("counting", flush=True)
            start = time.monotonic()
            for _ in range(20):
                time.sleep(0.05)
                ask()
            print("20 calls in %.3f s" % (time.monotonic() - start))
            """;

    @Test
    void connections_and_requests_of_a_client_that_warms_up_are_counted_over_the_same_time()
            throws Exception {
        Path client = Files.writeString(folder.resolve("warming.py"), WARMING);
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                          hatter: { command: python3 $server.py --port 8081, ready: { log: ready } }
                        load:
                          command: python3 %s
                          measure: { begin: counting, requests: '(\\d+) calls', seconds: 'in ([\\d.]+) s' }
                          duration: 60s
                        """
                                .formatted(client),
                        0);
        LoadOutcome.Command load = (LoadOutcome.Command) trial.observation().load();
        assertThat(load.answered()).isEqualTo(20);
        assertThat(load.connectionsOpened()).isBetween(15L, 20L);
        assertThat(trial.caveats()).isEmpty();
        assertThat(trial.observation().timeline().nanos()[0]).isZero();
    }

    @Test
    void the_end_of_a_load_command_is_reported() throws Exception {
        RunRecord.Trial failed =
                trial("\"sh -c 'echo 3 answers 4 errors; echo no more; exit 5'\"", "10s");
        assertThat(failed.caveats())
                .extracting(Caveat::id)
                .containsExactly("load-exit", "whole-life");
        assertThat(failed.caveats().getFirst().advice())
                .contains("exit code 5")
                .endsWith("3 answers 4 errors | no more");
        assertThat(failed.observation().load().networkErrors()).isEqualTo(4);
        assertThatThrownBy(() -> trial("no-such-program-anywhere", "10s"))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("the load command cannot be run")
                .hasMessageContaining("no-such-program-anywhere");
    }
}
