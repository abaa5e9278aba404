package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// Threads that wait for the reader of a pipe, or for a disk, each with a control.
@Tag("sandbox")
class PlantedWaitsTest extends PlantedTest {
    static final String PYTHON = "python3 $workers.py --port 8081 --workers 40 ";
    static final String JVM =
            "{jvm}/bin/java -Dsun.net.httpserver.nodelay=true $KnownTimes.java 8081 48 ";

    static String experiment(String command, String knobs) {
        return """
        services:
          planted:
            command: "%s"
            jvm: 25
            ready: { log: ready }
            knobs: { %s }
        load: { url: "http://{server}:8081/", connections: 32, warmup: 2s, duration: 3s }
        repeat: 3
        """
                .formatted(command, knobs);
    }

    /// The pipe's reader takes this many kilobytes a second.
    private static String piped(int kilobytes, String command) {
        return experiment(
                "python3 $slowpipe.py {reader} " + command,
                "reader: { value: %d, moves: blocked-output, max: 100000 }".formatted(kilobytes));
    }

    private static final String ON_SLOW_DISK = "python3 $into.py $slow-disk ";

    private static void assumeSlowDisk() {
        assumeTrue(SlowDisk.isPossible(), "no cgroup can slow the disk");
    }

    private void slowReader(String command) throws Exception {
        RunRecord.Trial trial = run.planted("blocked-output", piped(1_000, command), 32);
        PlantedRun.assertNamed(trial, "blocked-output", End.SERVER, "budget.output");
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    @Test
    @Tag("long")
    void a_slow_reader_of_the_output_of_a_jvm_is_named() throws Exception {
        slowReader(JVM + "sleep=20 log=4");
    }

    @Test
    @Tag("long")
    void a_slow_reader_of_the_output_is_named() throws Exception {
        slowReader(PYTHON + "--latency 20 --log 4");
    }

    private void quickReader(String command) throws Exception {
        RunRecord.Trial trial = run.control(piped(100_000, command), 32);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }

    @Test
    @Tag("long")
    void a_quick_reader_of_the_output_of_a_jvm_is_not_named() throws Exception {
        quickReader(JVM + "sleep=20 log=4");
    }

    @Test
    @Tag("long")
    void a_quick_reader_of_the_output_is_not_named() throws Exception {
        quickReader(PYTHON + "--latency 20 --log 4");
    }

    private void slowDisk(String command) throws Exception {
        assumeSlowDisk();
        RunRecord.Trial trial = run.planted("disk-io", experiment(ON_SLOW_DISK + command, ""), 32);
        PlantedRun.assertNamed(trial, "disk-io", End.SERVER, "budget.disk");
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    @Test
    void a_slow_disk_is_named() throws Exception {
        slowDisk(PYTHON + "--sync 32");
    }

    @Test
    @Tag("long")
    void a_slow_disk_of_a_jvm_is_named() throws Exception {
        slowDisk(JVM + "sync=32");
    }

    /// A thread of nginx's pool waits in sendfile until the file has been read.
    @Test
    @Tag("long")
    void a_disk_that_is_slow_to_read_is_named_although_sendfile_reads_it() throws Exception {
        assumeSlowDisk();
        String nginx =
                Nginx.service(
                        folder,
                        8081,
                        """
                        root %s;
                        aio threads;
                        sendfile on;
                        if ($request_id ~ "^(?<name>...)") { rewrite ^ /cold/$name break; }
                        """
                                .formatted(folder));
        Nginx.edit(folder, "daemon off;", "daemon off; user root;");
        String command = "python3 $cold.py %s/cold python3 $into.py $slow-reads %s";
        String yaml =
                experiment(command.formatted(folder, nginx), "")
                        .replace("{ log: ready }", "tcp://{server}:8081");
        RunRecord.Trial trial = run.planted("disk-io", yaml, 32);
        PlantedRun.assertNamed(trial, "disk-io", End.SERVER, "budget.disk");
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    private void quickDisk(String command) throws Exception {
        RunRecord.Trial trial = run.control(experiment(command, ""), 32);
        PlantedRun.assertNotNamed(trial, "disk-io");
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }

    @Test
    @Tag("long")
    void a_quick_disk_is_not_named() throws Exception {
        quickDisk(PYTHON + "--sync 4 --latency 50");
    }

    @Test
    @Tag("long")
    void a_quick_disk_of_a_jvm_is_not_named() throws Exception {
        quickDisk(JVM + "sync=4 sleep=50");
    }

    @Test
    @Tag("long")
    void find_turns_the_knob_of_the_reader() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        piped(1_000, PYTHON + "--latency 20 --log 4"),
                        "blocked-output",
                        End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "reader"), "1000", "2000");
        assertThat(rung.remedy().kept()).isTrue();
    }

    @Test
    @Tag("long")
    void find_groups_the_requests_that_wait_for_the_disk() throws Exception {
        assumeSlowDisk();
        RunRecord.Rung rung =
                run.firstRung(
                        experiment(
                                ON_SLOW_DISK + PYTHON + "--sync 32 --group {group}",
                                "group: { value: 1, moves: disk-io, max: 50 }"),
                        "disk-io",
                        End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "group"), "1", "2");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
