package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.ProcessFigure;

class ProcessReaderTest {
    private static final String BURN = "i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done";

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Process sh(String script) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", script).start();
        started.add(process);
        return process;
    }

    private static double value(ProcessReader reader, ProcessFigure figure) {
        return Readings.inFull(reader).get(figure.of("x").text());
    }

    private static ProcessReader reader(long pid) {
        return new ProcessReader(End.SERVER, "x", () -> pid);
    }

    @Test
    void a_process_that_burns_cpu_shows_it_on_one_thread() throws Exception {
        Process process = sh(BURN);
        try (ProcessReader reader = reader(process.pid())) {
            double before = value(reader, ProcessFigure.CPU);
            Readings.waitFor("CPU time", () -> value(reader, ProcessFigure.CPU) > before + 0.3);
            Map<String, Double> values = Readings.inFull(reader);
            assertThat(values.get("process[x].busiestThread")).isBetween(0.2, 60.0);
            assertThat(values.get("process[x].waiting")).isNotNegative();
            assertThat(values.get("process[x].threads")).isEqualTo(1);
            assertThat(values.get("process[x].rss")).isBetween(100e3, 100e6);
        }
    }

    @Test
    void the_cpu_time_of_an_ended_child_still_counts() throws Exception {
        String burnSome = BURN.replace("100000000", "300000");
        Process process = sh("sh -c '" + burnSome + "; exit'; echo ended; read x");
        try (ProcessReader reader = reader(process.pid())) {
            assertThat(process.inputReader().readLine()).isEqualTo("ended");
            assertThat(value(reader, ProcessFigure.CPU)).isGreaterThan(0.02);
            assertThat(value(reader, ProcessFigure.THREADS)).isEqualTo(1);
        }
    }

    @Test
    void processes_that_ended_are_counted_also_after_the_last_one() throws Exception {
        Process process = sh("sleep 60 & echo $!; wait; echo reaped; read x");
        long child = Long.parseLong(process.inputReader().readLine());
        try (ProcessReader reader = reader(process.pid())) {
            assertThat(value(reader, ProcessFigure.ENDED)).isZero();
            ProcessHandle.of(child).orElseThrow().destroyForcibly();
            assertThat(process.inputReader().readLine()).isEqualTo("reaped");
            assertThat(value(reader, ProcessFigure.ENDED)).isEqualTo(1);
            assertThat(process.destroyForcibly().waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(value(reader, ProcessFigure.ENDED)).isEqualTo(2);
            assertThat(value(reader, ProcessFigure.THREADS)).isNaN();
        }
    }

    /// Like a web server with a process for each connection. Only the last hundred use a CPU, 30 ms
    /// each, of which the kernel's ticks show 10 ms at least.
    @Test
    void a_service_of_many_processes_is_counted_to_the_last_one() throws Exception {
        Process process =
                new ProcessBuilder(
                                "python3",
                                "-c",
                                """
                                import os, signal, time
                                for i in range(360):
                                    if os.fork() == 0:
                                        while i >= 260 and time.process_time() < 0.03:
                                            pass
                                        signal.pause()
                                signal.pause()
                                """)
                        .start();
        started.add(process);
        int self = (int) ProcessHandle.current().pid();
        double openBefore = Descriptors.count(self);
        try (ProcessReader reader = reader(process.pid())) {
            Readings.waitFor("all processes", () -> value(reader, ProcessFigure.THREADS) == 361);
            Readings.waitFor("CPU time of the last", () -> ofTheLast(reader) > 1);
            assertThat(ofTheLast(reader)).isLessThan(5);
            assertThat(value(reader, ProcessFigure.CPU)).isGreaterThan(ofTheLast(reader));
            assertThat(Descriptors.count(self) - openBefore)
                    .as("files that stay open")
                    .isLessThan(300);
        }
    }

    private static double ofTheLast(ProcessReader reader) {
        double _ = value(reader, ProcessFigure.CPU);
        return reader.members().stream().skip(261).mapToDouble(ProcessStat::cpuSeconds).sum();
    }

    @Test
    void the_measuring_process_is_no_part_of_a_service_that_started_it() throws Exception {
        ProcessHandle self = ProcessHandle.current();
        Process child = sh("read x");
        try (ProcessTree tree = new ProcessTree()) {
            tree.scan(self.parent().orElseThrow().pid());
            assertThat(tree.members().stream().map(ProcessStat::pid))
                    .isNotEmpty()
                    .doesNotContain((int) self.pid(), (int) child.pid());
        }
        try (ProcessTree tree = new ProcessTree()) {
            tree.scan(self.pid());
            assertThat(tree.members().stream().map(ProcessStat::pid))
                    .as("a root is a member")
                    .contains((int) self.pid(), (int) child.pid());
        }
    }

    @Test
    void an_orphaned_descendant_is_still_followed_and_its_cpu_time_counts() throws Exception {
        Process root = sh("sh -c '" + BURN + " & echo $!; read x'; read y");
        ProcessHandle burner =
                ProcessHandle.of(Long.parseLong(root.inputReader().readLine())).orElseThrow();
        try (ProcessReader reader = reader(root.pid())) {
            assertThat(value(reader, ProcessFigure.THREADS)).isEqualTo(3);
            root.children().forEach(ProcessHandle::destroyForcibly);
            Readings.waitFor("2 are left", () -> value(reader, ProcessFigure.THREADS) == 2);
            Readings.waitFor("CPU time", () -> value(reader, ProcessFigure.CPU) > 0.2);
            double before = value(reader, ProcessFigure.CPU);
            burner.destroyForcibly();
            Readings.waitFor("1 is left", () -> value(reader, ProcessFigure.THREADS) == 1);
            assertThat(value(reader, ProcessFigure.CPU)).isGreaterThanOrEqualTo(before);
        } finally {
            burner.destroyForcibly();
        }
    }

    @Test
    void descriptors_are_counted_against_the_limit_of_the_process() throws Exception {
        Process process = sh("ulimit -n 77; exec sleep 60 5</dev/null 6</dev/null 7</dev/null");
        try (ProcessReader reader = reader(process.pid())) {
            Readings.waitFor(
                    "the limit", () -> value(reader, ProcessFigure.DESCRIPTOR_LIMIT) == 77);
            // While the program loads, it briefly opens another file now and then.
            File folder = new File("/proc/" + process.pid() + "/fd");
            Readings.waitFor(
                    "6 of them",
                    () ->
                            value(reader, ProcessFigure.DESCRIPTORS) == 6
                                    && folder.list().length == 6);
        }
    }

    @Test
    void an_ended_process_reads_as_nan() throws Exception {
        Process process = sh("exec sleep 60");
        try (ProcessReader reader = reader(process.pid())) {
            assertThat(value(reader, ProcessFigure.THREADS)).isEqualTo(1);
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            Readings.waitFor("gone", () -> Double.isNaN(value(reader, ProcessFigure.THREADS)));
            Map<String, Double> values = Readings.inFull(reader);
            assertThat(values.remove("process[x].ended")).isEqualTo(1);
            assertThat(values.values()).allMatch(v -> v.isNaN());
        }
    }

    @Test
    void a_process_that_starts_later_is_found() throws Exception {
        long[] pid = {0};
        try (ProcessReader reader = new ProcessReader(End.SERVER, "x", () -> pid[0])) {
            assertThat(value(reader, ProcessFigure.CPU)).isNaN();
            pid[0] = sh("exec sleep 60").pid();
            assertThat(value(reader, ProcessFigure.CPU)).isNotNegative();
        }
    }

    /// In a process of its own: threads that another test left behind would be of another kind.
    @Test
    void threads_of_one_kind_are_counted_by_what_they_wait_for() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-cp",
                                Path.of("target/test-classes").toAbsolutePath().toString(),
                                "wallfinder.sampling.Askers")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        started.add(process);
        try (ProcessReader reader = reader(process.pid())) {
            Readings.waitFor("3 of them", () -> value(reader, ProcessFigure.RECEIVING) == 3);
            Readings.waitFor("most of 5", () -> value(reader, ProcessFigure.QUEUEING) >= 3);
            assertThat(value(reader, ProcessFigure.QUEUEING)).isLessThanOrEqualTo(5);
        }
    }

    @Test
    void the_busiest_thread_counts_from_the_construction_of_the_reader() {
        try (ProcessReader reader = reader(ProcessHandle.current().pid())) {
            assertThat(value(reader, ProcessFigure.BUSIEST_THREAD)).isZero();
            Readings.waitFor("CPU time", () -> value(reader, ProcessFigure.BUSIEST_THREAD) > 0.2);
            assertThat(value(reader, ProcessFigure.THREADS)).isGreaterThan(5);
            assertThat(value(reader, ProcessFigure.CPU))
                    .isGreaterThan(value(reader, ProcessFigure.BUSIEST_THREAD));
        }
    }

    @Test
    void the_thread_that_wanted_most_cpu_was_running_or_ready_to_run() throws Exception {
        Process process = sh("while :; do :; done");
        try (ProcessReader reader = reader(process.pid())) {
            assertThat(value(reader, ProcessFigure.BUSIEST_WANTED)).isZero();
            Readings.waitFor("CPU time", () -> value(reader, ProcessFigure.BUSIEST_WANTED) > 0.2);
            Map<String, Double> values = Readings.inFull(reader);
            assertThat(values.get("process[x].busiestWanted"))
                    .isGreaterThanOrEqualTo(values.get("process[x].busiestThread"));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void a_thread_that_spins_without_load_is_not_the_busiest() throws Exception {
        Process process = sh("while :; do :; done");
        try (ProcessReader reader = reader(process.pid())) {
            Readings.waitFor("a life of spinning", () -> spinning(reader) == 1);
            double before = value(reader, ProcessFigure.CPU);
            Readings.waitFor("CPU time", () -> value(reader, ProcessFigure.CPU) > before + 0.2);
            assertThat(value(reader, ProcessFigure.BUSIEST_THREAD)).isZero();
            assertThat(value(reader, ProcessFigure.BUSIEST_WANTED)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void a_thread_that_sleeps_without_load_is_not_spinning() throws Exception {
        Process process = sh("exec sleep 60");
        try (ProcessReader reader = reader(process.pid())) {
            assertThat(spinning(reader)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static double spinning(ProcessReader reader) {
        UnloadedLook.take(List.of(reader), span -> LockSupport.parkNanos(span.toNanos()));
        return value(reader, ProcessFigure.SPINNING);
    }
}
