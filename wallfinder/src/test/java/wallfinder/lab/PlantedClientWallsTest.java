package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
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

    /// The scheduler wakes a thread that mostly sleeps at once if the other threads have the same
    /// weight, and the pinned generator has a greater weight (nice -10). Four burners with this
    /// priority leave it a fortieth of the CPU, which is too little for 2,000 requests a second.
    private static final int IMPORTANT = -20;

    /// A client program opens 300 connections to one address and holds them for six seconds. The
    /// sampler counts ports at least every five seconds.
    private RunRecord.Trial connections(String range) throws Exception {
        return run.control(
                """
                services:
                  planted: { command: python3 $server.py --port 8081, ready: { log: ready } }
                sandbox:
                  client: { %s: "%s" }
                load: { command: "python3 $connect.py {server} 8081 300 6",
                  measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }, duration: 20s }
                """
                        .formatted(RANGE, range),
                0);
    }

    @Test
    void a_range_without_a_free_port_is_named_at_the_client() throws Exception {
        RunRecord.Trial trial = connections(PORTS_256);
        PlantedRun.assertNamed(trial, "ephemeral-ports", End.CLIENT, "ports[].used");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.observation().load().answered()).isEqualTo(256);
        assertThat(trial.observation().load().errors()).isEqualTo(Map.of("command", 44L));
    }

    @Test
    @Tag("long")
    void a_range_with_free_ports_is_not_named() throws Exception {
        RunRecord.Trial trial = connections(PORTS_4096);
        PlantedRun.assertNotNamed(trial, "ephemeral-ports");
        assertThat(trial.diagnosis().verdict()).isEqualTo(Verdict.NONE);
        assertThat(trial.observation().load().answered()).isEqualTo(300);
    }

    /// Runs `load URL` inside the client's namespace, as on a host with that port range.
    private RunRecord.Trial urlLoad(String range) throws Exception {
        Experiment experiment =
                run.experiment(
                        """
                        services:
                          planted: { command: python3 $server.py --port 8081 --latency 100,
                            ready: { log: ready } }
                        load: { url: "http://{server}:8081/" }
                        """);
        SandboxSpec spec = new SandboxSpec(Map.of(), Map.of(RANGE, range));
        RunContext context = run.context();
        try (RunLock lock = RunLock.hold(context.lock().runId() + "-host");
                Sandbox sandbox = Sandbox.open(spec, lock, folder, CpuPlan.split(1))) {
            Sandboxes.start(sandbox, experiment.services().getFirst());
            LoadSpec.Http http =
                    Gets.of(
                            "http://" + Sandboxes.server(sandbox) + ":8081/",
                            300,
                            true,
                            Duration.ofSeconds(2));
            List<InetAddress> sources = sandbox.sourceAddresses().subList(0, 1);
            return sandbox.inside(
                    End.CLIENT,
                    () ->
                            new UrlLoad(http, new Origin(sources, new BitSet()), null, context)
                                    .load(null, null));
        }
    }

    @Test
    void a_generator_without_a_free_port_makes_the_result_invalid() throws Exception {
        RunRecord.Trial trial = urlLoad(PORTS_256);
        PlantedRun.assertVerdict(trial, Verdict.INVALID);
        PlantedRun.assertWall(trial, "load-generator", End.CLIENT, "generator.ports");
        // The connect that checked the address may still hold a port in TIME_WAIT.
        assertThat(PlantedRun.driven(trial).connectionsOpened()).isBetween(255L, 256L);
    }

    @Test
    @Tag("long")
    void a_generator_with_free_ports_is_not_the_limit() throws Exception {
        RunRecord.Trial trial = urlLoad(PORTS_4096);
        assertThat(PlantedRun.driven(trial).generator().exhausted()).isEmpty();
        assertThat(PlantedRun.driven(trial).connectionsOpened()).isEqualTo(300);
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertNotNamed(trial, "load-generator");
        }
    }

    /// A server that costs far less CPU than its client, with 512 connections.
    private static final String CHEAP =
            """
            services:
              planted:
                command: %s
                ready: tcp://{server}:8081
            load:
              url: http://{server}:8081/
              connections: 512
              warmup: 0s
              duration: 2s
            """;

    @Test
    void a_generator_that_has_to_share_its_cpu_makes_the_result_invalid() throws Exception {
        String cheap = CHEAP.formatted(Nginx.service(folder, 8081));
        List<Process> burners = CataloguePrograms.burners(8, 0);
        try {
            Experiment experiment = run.experiment(cheap);
            RunRecord.Trial trial = run.single(experiment, 512, "trial");
            PlantedRun.assertVerdict(trial, Verdict.INVALID);
            PlantedRun.assertWall(trial, "load-generator", End.CLIENT);
            assertThat(trial.diagnosis().headline().evidence()).isNotEmpty();
        } finally {
            burners.forEach(Process::destroyForcibly);
        }
    }

    /// Only the generator is slow: it sends late while its connections are idle.
    @Test
    @Tag("long")
    void an_open_loop_whose_generator_sends_late_for_lack_of_cpu_is_invalid() throws Exception {
        String cheap = CHEAP.formatted(Nginx.service(folder, 8081));
        List<Process> burners = CataloguePrograms.burners(4, IMPORTANT);
        try {
            Experiment experiment = run.experiment(cheap + "  arrival: { rate: 2000 }\n");
            RunRecord.Trial trial = run.single(experiment, 64, "trial");
            PlantedRun.assertVerdict(trial, Verdict.INVALID);
            PlantedRun.assertWall(trial, "load-generator", End.CLIENT, "generator.lateMillis");
            assertThat(PlantedRun.driven(trial).generator().stalls().longestNanos())
                    .isGreaterThan(1_000_000);
        } finally {
            burners.forEach(Process::destroyForcibly);
        }
    }
}
