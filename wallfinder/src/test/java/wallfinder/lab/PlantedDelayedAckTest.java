package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// A service that writes an answer in two parts while Nagle's algorithm is on.
@Tag("sandbox")
class PlantedDelayedAckTest extends PlantedTest {
    private static final String WALL = "delayed-ack";
    private static final String PYTHON = "python3 $server.py --port 8081 ";

    private static String closed(String command, int port) {
        return """
        services:
          planted:
            command: %s
            ready: { log: ready }
        load: { url: "http://{server}:%d/", connections: 12, warmup: 0s, duration: 2s }
        """
                .formatted(command, port);
    }

    private static double delayed(RunRecord.Trial trial) {
        return trial.observation().timeline().growth(KernelCounter.DELAYED_ACKS, End.CLIENT);
    }

    @Test
    void two_writes_without_nodelay_are_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, closed(PYTHON + "--split --nodelay 0", 8081), 12);
        PlantedRun.assertNamed(
                trial, WALL, End.SERVER, "listen[].heldBack", KernelCounter.DELAYED_ACKS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// In lockstep, one look at the sockets sees all connections held back or none, so it takes
    /// more looks.
    @Test
    @Tag("long")
    void it_is_named_in_another_server_and_in_lockstep() throws Exception {
        String yaml =
                closed("node $server.js --port 9000 --latency 5 --split 1 --nodelay 0", 9000)
                        .replace("warmup:", "arrival: lockstep, warmup:")
                        .replace("duration: 2s", "duration: 6s");
        RunRecord.Trial trial = run.planted(WALL, yaml, 12);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "listen[].heldBack");
    }

    /// The remedy.
    @Test
    @Tag("long")
    void with_nodelay_the_same_load_does_not_reach_it() throws Exception {
        RunRecord.Trial trial = run.control(closed(PYTHON + "--split --nodelay 1", 8081), 12);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().responseNanos().getMean()).isLessThan(40e6);
    }

    @Test
    @Tag("long")
    void a_pause_of_the_service_between_two_parts_is_not_it() throws Exception {
        RunRecord.Trial trial = run.control(closed(PYTHON + "--rest 60 --nodelay 0", 8081), 12);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(delayed(trial)).isGreaterThan(0.5 * trial.observation().load().answered());
    }

    @Test
    @Tag("long")
    void a_service_that_works_for_40_ms_is_not_it() throws Exception {
        RunRecord.Trial trial = run.control(closed(PYTHON + "--latency 40 --nodelay 0", 8081), 12);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    @Tag("long")
    void find_turns_nodelay_on() throws Exception {
        String yaml =
                closed(PYTHON + "--split --nodelay {nodelay}", 8081)
                                .replace(
                                        "    ready:",
                                        "    knobs: { nodelay: { value: 0, moves: delayed-ack } }\n    ready:")
                        + "repeat: 3\n";
        RunRecord.Rung rung = run.firstRung(yaml, WALL, End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "nodelay"), "0", "1");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
