package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.ShaperFigure;
import wallfinder.record.RunRecord;

/// A link of the server's namespace that sends only at some rate.
@Tag("sandbox")
class PlantedBandwidthTest extends PlantedTest {
    private static final String WALL = "bandwidth";

    /// @param shaper the arguments of `shape.py`, with the knob `megabits` as their rate
    private static String answers(String shaper, int megabits, int port) {
        TrackedConnections.assumeInstalled("tc");
        return """
        services:
          planted: { command: node $server.js --port %d --body 30000, ready: { log: ready } }
          shaper:
            command: python3 $shape.py %s
            ready: { log: ready }
            knobs: { megabits: { value: %d, moves: bandwidth, max: 900 } }
        load: { url: "http://{server}:%d/", connections: 16, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(port, shaper, megabits, port);
    }

    @Test
    void a_link_that_is_too_slow_for_the_answers_is_named() throws Exception {
        tooSlow("tbf {megabits}");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"htb {megabits}", "tbf {megabits} 45000"})
    void a_link_with_another_shaper_or_queue_is_named(String shaper) throws Exception {
        tooSlow(shaper);
    }

    private void tooSlow(String shaper) throws Exception {
        RunRecord.Trial trial = run.planted(WALL, answers(shaper, 30, 8081), 16);
        PlantedRun.assertNamed(
                trial,
                WALL,
                End.SERVER,
                ShaperFigure.SENT.form().text(),
                ShaperFigure.RATE.form().text(),
                ShaperFigure.OVERLIMITS.form().text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void a_few_workers_that_leave_room_on_the_link_are_not() throws Exception {
        String workers =
                answers("tbf {megabits}", 40, 9000)
                        .replace("--body 30000", "--body 20000 --workers 3 --latency 20");
        RunRecord.Trial trial = run.control(workers, 16);
        PlantedRun.assertVerdict(trial, Verdict.UNNAMED);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    /// A veth link reports a speed of 10 Gbit/s, which nothing enforces.
    @Test
    @Tag("long")
    void large_answers_over_a_link_without_a_shaper_are_not() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                          planted: { command: node $server.js --port 8081 --body 3000000,
                            ready: { log: ready } }
                        load: { url: "http://{server}:8081/", connections: 8, warmup: 1s, duration: 2s }
                        """,
                        8);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    @Tag("long")
    void the_same_load_does_not_reach_a_faster_link() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        answers("tbf {megabits}", 120, 8081)
                                .replace("--body 30000", "--body 20000 --latency 30"),
                        8);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    @Tag("long")
    void find_raises_the_rate_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(answers("tbf {megabits}", 20, 8081), WALL, End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("shaper", "megabits"), "20", "80");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
