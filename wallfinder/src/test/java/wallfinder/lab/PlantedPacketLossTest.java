package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// A path that loses packets of established connections.
@Tag("sandbox")
class PlantedPacketLossTest extends PlantedTest {
    private static final String WALL = "packet-loss";

    private static String lossy(String service, int port, int arriving, int leaving) {
        TrackedConnections.assumeInstalled("nft");
        return """
        services:
          planted: { command: %s --port %d --latency 5, ready: { log: ready } }
          path: { command: python3 $loss.py %d %d, ready: { log: ready } }
        load: { url: "http://{server}:%d/", connections: 20, warmup: 0s, duration: 3s }
        """
                .formatted(service, port, arriving, leaving, port);
    }

    @Test
    void requests_that_are_lost_are_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, lossy("python3 $server.py", 8081, 20, 0), 20);
        PlantedRun.assertNamedThoughBusy(
                trial, WALL, End.PATH, "lost segments", KernelCounter.RETRANSMITS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(retransmitted(trial, End.CLIENT)).isPositive();
    }

    @Test
    @Tag("long")
    void answers_that_are_lost_are_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, lossy("node $server.js", 9000, 0, 20), 20);
        PlantedRun.assertNamedThoughBusy(
                trial, WALL, End.PATH, "lost segments", KernelCounter.RETRANSMITS.text());
        assertThat(retransmitted(trial, End.SERVER)).isPositive();
    }

    /// The remedy is a path that loses nothing.
    @Test
    @Tag("long")
    void the_same_load_over_a_path_that_loses_nothing_does_not_reach_it() throws Exception {
        RunRecord.Trial trial = run.control(lossy("python3 $server.py", 8081, 0, 0), 20);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    private static double retransmitted(RunRecord.Trial trial, End end) {
        return trial.observation().timeline().growth(KernelCounter.RETRANSMITS, end);
    }
}
