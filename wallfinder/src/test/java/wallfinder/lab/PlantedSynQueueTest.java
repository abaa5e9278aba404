package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// Handshakes that a client begins and never completes, at listeners with and without room for
/// them.
@Tag("sandbox")
class PlantedSynQueueTest extends PlantedTest {
    private static final String WALL = "syn-queue";

    /// The listener's backlog is 64.
    private static String halfOpen(int connections, String service, int cookies) {
        return """
        services: { planted: { command: "%s", ready: "tcp://{server}:8081" } }
        sandbox: { server: { net.ipv4.tcp_syncookies: %d } }
        load: { command: "python3 $halfopen.py {server} 8081 %d 20",
          measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }, duration: 30s }
        repeat: 2
        """
                .formatted(service, cookies, connections);
    }

    private static final String PYTHON = "python3 $server.py --port 8081 --backlog 64";

    private String nginx() throws Exception {
        String command = Nginx.service(folder, 8081);
        Nginx.edit(folder, "backlog=4096", "backlog=64");
        return command;
    }

    private void assertNamed(RunRecord.Trial trial) {
        PlantedRun.assertNamed(trial, WALL, End.SERVER, KernelCounter.SYN_QUEUE_DROPS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(PlantedRun.growth(trial, KernelCounter.LISTEN_OVERFLOWS)).isZero();
    }

    @Test
    void a_queue_full_of_half_open_connections_is_named() throws Exception {
        assertNamed(run.control(halfOpen(200, PYTHON, 0), 0));
    }

    @Test
    @Tag("long")
    void it_is_named_on_nginx_too() throws Exception {
        assertNamed(run.control(halfOpen(200, nginx(), 0), 0));
    }

    @Test
    @Tag("long")
    void half_open_connections_that_fill_two_thirds_of_the_queue_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(halfOpen(42, PYTHON, 0), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
        assertThat(PlantedRun.doubts(trial)).doesNotContain("near:" + WALL);
    }

    @Test
    @Tag("long")
    void with_syn_cookies_the_queue_is_only_near() throws Exception {
        RunRecord.Trial trial = run.control(halfOpen(200, PYTHON, 1), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().answered()).isEqualTo(20);
        assertThat(PlantedRun.doubts(trial)).contains("near:" + WALL);
    }

    @Test
    @Tag("long")
    void find_turns_syn_cookies_on_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(halfOpen(200, PYTHON, 0), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfSysctl(true, "net.ipv4.tcp_syncookies"), "0", "1");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().after().errors()).isZero();
    }
}
