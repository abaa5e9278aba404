package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.linux.Affinity;
import wallfinder.linux.KernelFile;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.ThreadCpu;

class ThreadTimesTest {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private static void burn(double seconds) {
        double end = CLOCK.getCurrentThreadCpuTime() + 1e9 * seconds;
        while (CLOCK.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static double seconds(List<ThreadCpu> threads, String name) {
        return threads.stream()
                .filter(thread -> thread.name().equals(name))
                .mapToDouble(ThreadCpu::seconds)
                .sum();
    }

    /// The kernel may still list the last thread when it is joined. Then its time has its own name.
    /// Other threads of this process may end, too: so the upper bounds only exclude a time that
    /// counts twice.
    @Test
    void the_time_of_threads_that_ended_between_two_looks_is_counted_once() throws Exception {
        try (ThreadTimes times = new ThreadTimes(ProcessHandle.current().pid())) {
            for (int i = 0; i < 10; i++) {
                Thread.ofPlatform().name("burner").start(() -> burn(0.1)).join();
            }
            List<ThreadCpu> ran = times.look();
            assertThat(seconds(ran, "ended threads")).isBetween(0.85, 1.5);
            assertThat(seconds(ran, "ended threads") + seconds(ran, "burner")).isBetween(0.95, 1.5);
            burn(0.6);
            assertThat(seconds(times.look(), "ended threads")).isLessThan(0.5);
        }
    }

    @Test
    void the_threads_of_a_jvm_have_their_jobs() throws Exception {
        int pid = (int) ProcessHandle.current().pid();
        try (ThreadTimes times = new ThreadTimes(pid)) {
            assertThat(times.jobs())
                    .containsEntry(pid, Job.PROGRAM)
                    .containsEntry(Affinity.threadId(), Job.PROGRAM)
                    .containsEntry(thread("VM Thread"), Job.COLLECTOR)
                    .containsEntry(thread("C1 CompilerThre"), Job.COMPILER);
        }
    }

    /// The id of a thread of this process.
    private static int thread(String name) throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (KernelFile.read(thread.resolve("comm")).equals(name)) {
                    return Integer.parseInt(thread.getFileName().toString());
                }
            }
        }
        throw new AssertionError("there is no thread " + name);
    }
}
