package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;

/// Loads that are programs of their own, watched and judged like services.
@Tag("sandbox")
class CommandLoadTest extends PlantedTest {
    /// A client in a JVM of its own, with 24 ports to spend and answers whose end comes after their
    /// beginning. It closes about fifteen connections a second: after a second no port is left,
    /// unless the kernel uses those again that have been closed for a second.
    private static final String STREAMS =
            """
            services:
              hatter: { command: python3 $server.py --port 8081 --rest 8, ready: { log: ready } }
            sandbox:
              client: { net.ipv4.ip_local_port_range: "32768 32791", net.ipv4.tcp_tw_reuse: 2 }
            load:
              command: "{jvm}/bin/java -XX:TieredStopAtLevel=1 -cp %1$s StreamClient http://{server}:8081/ 4 28 60 {march}"
              knobs:
                march: { value: some, to: [all], moves: connection-churn }
              measure: { requests: 'calls: (\\d+)', seconds: 'in ([\\d.]+) s', errors: 'failed: (\\d+)' }
              duration: 30s
            try: [net.ipv4.tcp_tw_reuse]
            repeat: 2
            """;

    @Tag("long")
    @Test
    void find_turns_what_makes_a_client_close_its_connections_and_tells_what_only_masks_it()
            throws Exception {
        String source = PlantedRun.resource("StreamClient.java").toString();
        assertThat(
                        ToolProvider.getSystemJavaCompiler()
                                .run(null, null, null, "-d", folder.toString(), source))
                .isZero();
        RunRecord.Rung rung =
                run.firstRung(STREAMS.formatted(folder), "connection-churn", End.CLIENT);
        assertThat(rung.without()).isEmpty();
        assertThat(rung.remedy().remedy().changes())
                .containsExactly(new Change(new Setting.OfKnob("load", "march"), "some", "all"));
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().after().errors()).isZero();
        assertThat(rung.remedy().masks()).isNull();
        RunRecord.Applied reuse = rung.tried().getFirst();
        assertThat(reuse.remedy().told()).isEqualTo("net.ipv4.tcp_tw_reuse 2 -> 1");
        assertThat(reuse.p99().ratio()).as("a command that tells no times").isNaN();
        assertThat(reuse.masks())
                .as(String.join("\n", run.said()))
                .isEqualTo(WallId.CONNECTION_CHURN);
        assertThat(run.said()).anyMatch(line -> line.contains("; it masks connection-churn"));
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
    void a_client_that_always_computes_is_bound_by_its_own_cpu() throws Exception {
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
            assertThat(trial.diagnosis().verdict())
                    .as(PlantedRun.describe(trial))
                    .isEqualTo(Verdict.NAMED);
            assertThat(trial.diagnosis().wallId()).contains("cpu");
            assertThat(trial.diagnosis().headline().end()).isEqualTo(End.CLIENT);
        }
    }

    @Test
    void the_jvm_of_a_load_is_told_and_that_it_used_no_archive_of_classes() throws Exception {
        RunRecord.Trial trial = trial("\"{jvm}/bin/java -Xshare:off -version\"", "20s");
        SandboxFacts.ServiceFacts load = trial.observation().facts().services().getLast();
        assertThat(load.name()).isEqualTo("load");
        assertThat(load.runtime().version()).isEqualTo(System.getProperty("java.version"));
        assertThat(load.runtime().archive()).isEqualTo("no archive: -Xshare:off");
        assertThat(trial.diagnosis().caveats())
                .extracting(Caveat::id)
                .contains("no-class-archive:load");
        assertThat(trial.observation().facts().services().getFirst().runtime()).isNull();
    }

    /// Two hundred connections before it counts, and twenty in the second in which it does.
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
    void connections_and_requests_of_a_client_that_warms_up_are_those_of_the_same_time()
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
    void how_a_load_command_ended_is_told() throws Exception {
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
