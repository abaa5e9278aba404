package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.diagnosis.Harm;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;

/// One CPU that checks many firewall rules for each packet to a service.
@Tag("sandbox")
class PlantedSoftirqTest extends PlantedTest {
    private static final String WALL = "softirq-cpu";

    @TempDir Path folder;

    @BeforeEach
    void needs_nft_and_two_cpus() {
        TrackedConnections.assumeInstalled("nft");
        CpuPlan cpus = CpuPlan.split(1);
        assumeTrue(
                !cpus.server().intersects(cpus.client()), "both ends have to share the only CPU");
    }

    /// nginx takes about 20 us for a request, and two packets that pass 25,000 rules 100 us.
    private String nginx(String rules) throws Exception {
        return """
        services:
          web: { command: %s, ready: "tcp://{server}:8085" }
          rules: { command: python3 $rules.py %s, user: root, ready: { log: ready } }
        load: { url: "http://{server}:8085/", connections: 40, warmup: 0s, duration: 2s }
        """
                .formatted(Nginx.service(folder, 8085), rules);
    }

    @Test
    @Tag("long")
    void a_cpu_full_of_packets_is_named_and_the_cpu_time_of_nginx_ruled_out() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, nginx("25000"), 40);
        assumeFalse(
                PlantedRun.starved(trial) && !trial.diagnosis().wallId().equals(Optional.of(WALL)),
                "SKIPPED: in each of six attempts, other programs or the hypervisor took the CPU");
        PlantedRun.assertNamed(
                trial,
                WALL,
                End.SERVER,
                EndFigure.CPUS_SOFTIRQ_MOST.text(),
                EndFigure.CPUS_SOFTIRQ_MOST_IDLE.text(),
                EndFigure.SOFTNET_PROCESSED.text(),
                KernelCounter.IN_SEGMENTS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// The remedy: the same packets are compared with the same addresses.
    @Test
    void one_rule_with_a_set_of_the_same_addresses_ends_the_wall() throws Exception {
        RunRecord.Trial trial = run.control(nginx("25000 set"), 40);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.growth(trial, EndFigure.SOFTNET_PROCESSED)).isPositive();
    }

    /// Node.js computes for this long for each request.
    private static String node(int cpuMillis) {
        return """
        services:
          planted: { command: node $server.js --port 8090 --cpu %d, ready: { log: ready } }
          costly: { command: python3 $rules.py 30000, user: root, ready: { log: ready } }
        load: { url: "http://{server}:8090/", connections: 60, warmup: 0s, duration: 2s }
        """
                .formatted(cpuMillis);
    }

    @Test
    @Tag("long")
    void a_cpu_full_of_the_packets_of_a_node_server_is_named() throws Exception {
        PlantedRun.assertNamed(
                run.planted(node(0), 60), WALL, End.SERVER, EndFigure.CPUS_SOFTIRQ_MOST.text());
    }

    @Test
    @Tag("long")
    void a_node_server_that_computes_behind_the_same_rules_is_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.planted(node(1), 60);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertWall(trial, "cpu", End.SERVER);
    }
}
