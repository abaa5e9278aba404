package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.SoftirqCpu;
import wallfinder.diagnosis.Verdict;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;

/// Packets that the kernel drops before a listener sees them, because the table of tracked
/// connections or a CPU's queue is full.
@Tag("sandbox")
class PlantedPacketWallsTest extends PlantedTest {
    private static final String TABLE = "conntrack-table";
    private static final String QUEUE = "softnet-backlog";

    /// Forty connections, and a table that already has this many entries.
    private static String forty(String filled) throws Exception {
        TrackedConnections.assumeFillable();
        return """
        services:
          planted: { command: python3 $server.py --port 8081 --latency 20, ready: { log: ready } }
          others: { command: "python3 $conntrack.py %s", ready: { log: ready } }
        load: { url: "http://{server}:8081/", connections: 40, timeouts: { connect: 1500ms },
          warmup: 0s, duration: 2s }
        """
                .formatted(filled);
    }

    @Test
    void a_full_table_of_tracked_connections_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(TABLE, forty("-12"), 40);
        PlantedRun.assertNamedThoughBusy(
                trial,
                TABLE,
                End.SERVER,
                EndFigure.CONNTRACK_ENTRIES.text(),
                EndFigure.CONNTRACK_DROPS.text(),
                KernelCounter.SYN_RETRANS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_table_that_is_more_than_half_full_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(forty("0.6"), 40);
        PlantedRun.assertNotNamed(trial, TABLE);
        assertThat(PlantedRun.largest(trial, EndFigure.CONNTRACK_ENTRIES)).isPositive();
        assertThat(PlantedRun.growth(trial, EndFigure.CONNTRACK_DROPS)).isZero();
        assertThat(trial.observation().load().errors()).isEmpty();
    }

    /// For each packet the server's CPU evaluates thousands of rules.
    private static String flood(int burst, int tries) {
        TrackedConnections.assumeInstalled("nft");
        CpuPlan cpus = CpuPlan.split(1);
        assumeTrue(
                !cpus.server().intersects(cpus.client()), "both ends have to share the only CPU");
        return """
        services:
          planted: { command: python3 $server.py --port 8081, ready: { log: ready } }
          rules: { command: python3 $rules.py 3000, user: root, ready: { log: ready } }
        load: { command: "python3 $flood.py {server} 8081 %d %d",
          measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }, duration: 30s }
        """
                .formatted(burst, tries);
    }

    @Test
    @Tag("long")
    void a_cpu_that_drops_packets_from_its_full_queue_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(QUEUE, flood(0, 12), 0);
        PlantedRun.assertHeadline(
                trial,
                QUEUE,
                End.SERVER,
                EndFigure.SOFTNET_DROPPED.text(),
                KernelCounter.RETRANSMITS.text());
        // The flooding client uses all of its CPU, and its packets all of the server's.
        assertThat(trial.diagnosis().also())
                .as(PlantedRun.describe(trial))
                .allMatch(
                        binds -> binds.wall() instanceof Cpu || binds.wall() instanceof SoftirqCpu);
        // It is chance whether one of the dropped packets belongs to a connect.
        assertThat(trial.diagnosis().headline().harm()).isIn(Harm.ERRORS, Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void bursts_that_fill_half_of_the_queue_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(flood(500, 30), 0);
        PlantedRun.assertNotNamed(trial, QUEUE);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }
}
