package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.SandboxSpec;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Origin;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Sandboxes;

/// Walls planted at the client's end, each with a control that differs in one value.
@Tag("sandbox")
class PlantedClientWallsTest extends PlantedTest {
    private static final String RANGE = "net.ipv4.ip_local_port_range";
    private static final String PORTS_256 = "32768 33023";
    private static final String PORTS_4096 = "32768 36863";

    /// Who sleeps nearly all the time is woken at once beside others of the same weight, and the
    /// generator has a greater one where it is pinned (nice -10). Beside four of these it gets a
    /// fortieth of the CPU, which is less than 2,000 requests a second need.
    private static final int IMPORTANT = -20;

    /// A client of its own opens 300 connections to one address and holds them for six seconds: the
    /// ports are counted every five at least.
    private RunRecord.Trial connections(String range) throws Exception {
        return run.control(
                """
                services:
                  planted:
                    command: python3 $server.py --port 8081
                    ready: { log: ready }
                sandbox:
                  client: { %s: "%s" }
                load:
                  command: python3 $connect.py {server} 8081 300 6
                  measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }
                  duration: 20s
                """
                        .formatted(RANGE, range),
                0);
    }

    @Test
    void a_range_without_a_free_port_is_named_at_the_client() throws Exception {
        RunRecord.Trial trial = connections(PORTS_256);
        PlantedRun.assertNamed(trial, "ephemeral-ports", End.CLIENT);
        PlantedRun.assertEvidence(trial, "ports[].used");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.observation().load().answered()).isEqualTo(256);
        assertThat(trial.observation().load().errors()).isEqualTo(Map.of("command", 44L));
    }

    @Test
    void a_range_with_ports_to_spare_is_not_named() throws Exception {
        RunRecord.Trial trial = connections(PORTS_4096);
        PlantedRun.assertNotNamed(trial, "ephemeral-ports");
        assertThat(trial.diagnosis().verdict()).isEqualTo(Verdict.NONE);
        assertThat(trial.observation().load().answered()).isEqualTo(300);
    }

    /// The engine as on a host with that port range: it is entered, and `load URL` runs in it.
    private RunRecord.Trial urlLoad(String range) throws Exception {
        Experiment experiment =
                run.experiment(
                        """
                        services:
                          planted:
                            command: python3 $server.py --port 8081 --latency 100
                            ready: { log: ready }
                        load: { url: "http://{server}:8081/" }
                        """);
        SandboxSpec spec = new SandboxSpec(Map.of(), Map.of(RANGE, range));
        RunContext context = run.context();
        try (RunLock lock = RunLock.hold(context.lock().runId() + "-host");
                Sandbox sandbox = Sandbox.open(spec, lock, folder, CpuPlan.split(1))) {
            Sandboxes.start(sandbox, experiment.services().getFirst());
            LoadSpec.Http http = http("http://" + Sandboxes.server(sandbox) + ":8081/", 300);
            List<InetAddress> sources = sandbox.sourceAddresses().subList(0, 1);
            return sandbox.inside(
                    End.CLIENT,
                    () ->
                            new UrlLoad(http, new Origin(sources, new BitSet()), null, context)
                                    .load(null));
        }
    }

    private static LoadSpec.Http http(String url, int connections) {
        return Gets.of(url, connections, true, Duration.ofSeconds(2));
    }

    @Test
    void a_generator_without_a_free_port_makes_the_result_invalid() throws Exception {
        RunRecord.Trial trial = urlLoad(PORTS_256);
        assertThat(trial.diagnosis().verdict())
                .as(PlantedRun.describe(trial))
                .isEqualTo(Verdict.INVALID);
        assertThat(trial.diagnosis().wallId()).contains("load-generator");
        assertThat(trial.diagnosis().headline().end()).isEqualTo(End.CLIENT);
        PlantedRun.assertEvidence(trial, "generator.ports");
        // The connect that checked the address may hold one in TIME_WAIT.
        assertThat(PlantedRun.driven(trial).connectionsOpened()).isBetween(255L, 256L);
    }

    @Test
    void a_generator_with_ports_to_spare_is_not_the_limit() throws Exception {
        RunRecord.Trial trial = urlLoad(PORTS_4096);
        assertThat(PlantedRun.driven(trial).generator().exhausted()).isEmpty();
        assertThat(PlantedRun.driven(trial).connectionsOpened()).isEqualTo(300);
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertNotNamed(trial, "load-generator");
        }
    }

    /// A server that is far cheaper than a client, asked by 512 connections at once.
    private static final String CHEAP =
            """
            services:
              planted:
                command: nginx -p %s -e error.log -c nginx.conf
                ready: tcp://{server}:8081
            load:
              url: http://{server}:8081/
              connections: 512
              warmup: 0s
              duration: 2s
            """;

    @Test
    void a_generator_that_has_to_share_its_cpu_makes_the_result_invalid() throws Exception {
        Nginx.configure(folder, 8081, "daemon off;");
        List<Process> burners = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                burners.add(burner(0));
            }
            Experiment experiment = run.experiment(CHEAP.formatted(folder));
            RunRecord.Trial trial = run.single(experiment, 512, "trial");
            assertThat(trial.diagnosis().verdict())
                    .as(PlantedRun.describe(trial))
                    .isEqualTo(Verdict.INVALID);
            assertThat(trial.diagnosis().wallId()).contains("load-generator");
            assertThat(trial.diagnosis().headline().end()).isEqualTo(End.CLIENT);
            assertThat(trial.diagnosis().headline().evidence()).isNotEmpty();
        } finally {
            burners.forEach(Process::destroyForcibly);
        }
    }

    /// Nothing but the generator is slow: its connections are idle, and it sends late.
    @Test
    void an_open_loop_that_is_sent_late_by_a_generator_without_a_cpu_is_invalid() throws Exception {
        Nginx.configure(folder, 8081, "daemon off;");
        List<Process> burners = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                burners.add(burner(IMPORTANT));
            }
            String rate = CHEAP + "  arrival: { rate: 2000 }\n";
            Experiment experiment = run.experiment(rate.formatted(folder));
            RunRecord.Trial trial = run.single(experiment, 64, "trial");
            assertThat(trial.diagnosis().verdict())
                    .as(PlantedRun.describe(trial))
                    .isEqualTo(Verdict.INVALID);
            assertThat(trial.diagnosis().wallId()).contains("load-generator");
            PlantedRun.assertEvidence(trial, "generator.lateMillis");
            assertThat(PlantedRun.driven(trial).generator().stalls().longestNanos())
                    .isGreaterThan(1_000_000);
        } finally {
            burners.forEach(Process::destroyForcibly);
        }
    }

    /// Keeps the generator's CPU busy; one process, which the kernel ends after 30 s of CPU time if
    /// nobody else does.
    private static Process burner(int nice) throws Exception {
        BitSet cpus = CpuPlan.split(1).client();
        return new ProcessBuilder(
                        "taskset",
                        "-c",
                        Integer.toString(cpus.nextSetBit(0)),
                        "nice",
                        "-n",
                        Integer.toString(nice),
                        "sh",
                        "-c",
                        "ulimit -t 30; while :; do :; done")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
