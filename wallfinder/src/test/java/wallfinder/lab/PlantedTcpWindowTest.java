package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.linux.KernelFile;
import wallfinder.observation.End;
import wallfinder.observation.SendFigure;
import wallfinder.record.RunRecord;

/// Large answers over a link with a delay. The client may receive little at a time, or the server
/// may send little at a time.
@Tag("sandbox")
class PlantedTcpWindowTest extends PlantedTest {
    private static final String WALL = "tcp-window";
    private static final Path CONTROLS =
            Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");

    /// @param receive the largest receive buffer of the client
    private static String toDistantClients(int receive) {
        TrackedConnections.assumeInstalled("ip");
        return """
        services:
          planted: { command: node $server.js --port 8081 --body 150000, ready: { log: ready } }
          delay: { command: python3 $delay.py 20, ready: { log: ready } }
        sandbox: { client: { net.ipv4.tcp_rmem: "4096 16384 %d" } }
        load: { url: "http://{server}:8081/", connections: 8, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(receive);
    }

    /// With Reno, the same send buffer does not keep a large answer from being sent at once.
    ///
    /// @param bytes of the send buffer that the service sets
    private static String withSendBuffer(int bytes) throws IOException {
        TrackedConnections.assumeInstalled("ip");
        assumeTrue(KernelFile.read(CONTROLS).contains("bbr"), "SKIPPED: this host has no BBR");
        return """
        services:
          planted:
            command: python3 $server.py --port 9090 --body 300000 --send-buffer {sndbuf}
            ready: { log: ready }
            knobs: { sndbuf: { value: %d, moves: tcp-window, max: 4000000 } }
          delay: { command: python3 $delay.py 15, ready: { log: ready } }
        sandbox: { server: { net.ipv4.tcp_congestion_control: bbr } }
        load: { url: "http://{server}:9090/", connections: 6, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(bytes);
    }

    @Test
    void a_client_that_may_receive_little_at_a_time_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, toDistantClients(16_384), 8);
        PlantedRun.assertNamed(
                trial,
                WALL,
                End.CLIENT,
                SendFigure.WINDOW_LIMITED.form().text(),
                SendFigure.BUSY.form().text(),
                SendFigure.WINDOW.form().text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    @Tag("long")
    void a_service_with_a_small_send_buffer_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, withSendBuffer(8_192), 6);
        PlantedRun.assertNamed(
                trial,
                WALL,
                End.SERVER,
                SendFigure.BUFFER_LIMITED.form().text(),
                SendFigure.BUSY.form().text(),
                SendFigure.BUFFER.form().text());
    }

    @Test
    @Tag("long")
    void a_client_that_may_receive_much_is_not() throws Exception {
        RunRecord.Trial trial = run.control(toDistantClients(6 << 20), 8);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    @Tag("long")
    void a_service_with_a_large_send_buffer_is_not() throws Exception {
        RunRecord.Trial trial = run.control(withSendBuffer(2_000_000), 6);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    /// Without a delay, the client acknowledges at once.
    @Test
    @Tag("long")
    void small_buffers_nearby_are_not() throws Exception {
        String near =
                toDistantClients(16_384)
                        .replaceAll("delay: .*\\n", "\n")
                        .replace("--body 150000", "--body 150000 --latency 20");
        RunRecord.Trial trial = run.control(near, 8);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    /// The queue of a full link uses up the window, too. A larger window would only fill the queue.
    @Test
    @Tag("long")
    void a_full_link_is_not() throws Exception {
        TrackedConnections.assumeInstalled("tc");
        String full =
                toDistantClients(131_072)
                        .replaceAll(
                                "delay: .*\\n",
                                "shaper: { command: python3 \\$shape.py tbf 30 4000000, ready: { log: ready } }\n");
        RunRecord.Trial trial = run.planted("bandwidth", full, 8);
        PlantedRun.assertNamed(trial, "bandwidth", End.SERVER);
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    @Tag("long")
    void find_raises_what_the_client_may_receive_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(toDistantClients(16_384), WALL, End.CLIENT);
        PlantedRun.assertChanged(
                rung,
                new Setting.OfSysctl(false, "net.ipv4.tcp_rmem"),
                "4096 16384 16384",
                "4096 16384 4194304");
        assertThat(rung.remedy().kept()).isTrue();
    }

    @Test
    @Tag("long")
    void find_raises_the_knob_of_a_service_that_sets_its_buffer() throws Exception {
        RunRecord.Rung rung = run.firstRung(withSendBuffer(8_192), WALL, End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "sndbuf"), "8192", "32768");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
