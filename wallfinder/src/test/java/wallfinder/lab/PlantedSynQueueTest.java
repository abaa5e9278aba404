package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// Handshakes that are begun and never completed, at listeners with and without a place for them.
@Tag("sandbox")
class PlantedSynQueueTest extends PlantedTest {
    private static final String WALL = "syn-queue";

    /// The listener's backlog is 64.
    private static String halfOpen(int connections, String service, int cookies) {
        return """
        services:
          planted:
            command: %s
            ready: tcp://{server}:8081
        sandbox:
          server: { net.ipv4.tcp_syncookies: %d }
        load:
          command: python3 $halfopen.py {server} 8081 %d 20
          measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }
          duration: 30s
        repeat: 2
        """
                .formatted(service, cookies, connections);
    }

    private static final String PYTHON = "python3 $server.py --port 8081 --backlog 64";

    private String nginx() throws Exception {
        Nginx.configure(folder, 8081, "daemon off;");
        Path conf = folder.resolve("nginx.conf");
        java.nio.file.Files.writeString(
                conf, java.nio.file.Files.readString(conf).replace("backlog=4096", "backlog=64"));
        return "nginx -p %s -e error.log -c nginx.conf".formatted(folder);
    }

    private void assertNamed(RunRecord.Trial trial) {
        PlantedRun.assertNamed(trial, WALL, End.SERVER);
        PlantedRun.assertEvidence(trial, KernelCounter.SYN_QUEUE_DROPS.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(
                        trial.observation()
                                .timeline()
                                .growth(KernelCounter.LISTEN_OVERFLOWS, End.SERVER))
                .isZero();
    }

    @Test
    void a_queue_full_of_half_open_connections_is_named() throws Exception {
        assertNamed(run.control(halfOpen(200, PYTHON, 0), 0));
    }

    @Test
    void it_is_named_on_nginx_too() throws Exception {
        assertNamed(run.control(halfOpen(200, nginx(), 0), 0));
    }

    @Test
    void half_open_connections_that_fill_two_thirds_of_it_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(halfOpen(42, PYTHON, 0), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.diagnosis().verdict())
                .as(PlantedRun.describe(trial))
                .isEqualTo(Verdict.NONE);
        assertThat(trial.diagnosis().caveats())
                .extracting(Caveat::id)
                .doesNotContain("near:" + WALL);
    }

    @Test
    void cookies_do_without_the_queue_which_is_only_near() throws Exception {
        RunRecord.Trial trial = run.control(halfOpen(200, PYTHON, 1), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().answered()).isEqualTo(20);
        assertThat(trial.diagnosis().caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    @Tag("long")
    void find_turns_cookies_on_and_proves_it() throws Exception {
        RunRecord.Rung rung = run.firstRung(halfOpen(200, PYTHON, 0), WALL, End.SERVER);
        assertThat(rung.remedy().remedy().changes())
                .containsExactly(
                        new Change(
                                new Setting.OfSysctl(true, "net.ipv4.tcp_syncookies"), "0", "1"));
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().after().errors()).isZero();
    }
}
