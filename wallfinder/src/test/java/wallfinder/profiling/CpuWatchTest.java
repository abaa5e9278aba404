package wallfinder.profiling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.Affinity;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.sandbox.JavaChild;

/// The kernel's own samples.
@Tag("sandbox")
class CpuWatchTest {
    private static final Path ZEROS = Path.of("/dev/zero");
    private static final Path PARANOID = Path.of("/proc/sys/kernel/perf_event_paranoid");
    private static final int OWN = (int) ProcessHandle.current().pid();

    @TempDir Path folder;

    /// @param reads samples in the system call
    /// @param stacks whether the process has stacks
    private record Sum(long reads, boolean stacks) {}

    /// What a watch sees while a thread reads for half a second of CPU time. It looks often,
    /// because other programs fill the room for samples.
    ///
    /// @param jobs by the id of the thread
    private static Sum watch(IntFunction<Map<Integer, Job>> jobs) throws Exception {
        CompletableFuture<Integer> tid = new CompletableFuture<>();
        FutureTask<Void> reading =
                new FutureTask<>(() -> {
                    tid.complete(Affinity.threadId());
                    read();
                    return null;
                });
        try (CpuWatch watch = new CpuWatch()) {
            Thread thread = Thread.ofPlatform().start(reading);
            long reads = 0;
            boolean stacks = false;
            boolean ended;
            do {
                ended = thread.join(Duration.ofMillis(50));
                CpuWatch.Seen seen = watch.take(jobs.apply(tid.get()));
                reads += seen.kernel().getOrDefault("read", 0L);
                stacks |= !seen.stacks().isEmpty();
            } while (!ended);
            reading.get();
            return new Sum(reads, stacks);
        }
    }

    private static void read() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        try (FileChannel zeros = FileChannel.open(ZEROS)) {
            while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < 500_000_000) {
                zeros.read(buffer.clear());
            }
        }
    }

    @Test
    void the_system_calls_of_a_jvms_collectors_and_compilers_do_not_count() throws Exception {
        Sum program = watch(tid -> Map.of(OWN, Job.PROGRAM, tid, Job.PROGRAM));
        assertThat(program.reads()).isGreaterThan(30);
        assertThat(program.stacks()).as("a JVM samples itself").isFalse();
        assertThat(watch(tid -> Map.of(OWN, Job.PROGRAM, tid, Job.COLLECTOR)).reads())
                .isLessThan(10);
        assertThat(watch(tid -> Map.of(OWN, Job.PROGRAM, tid, Job.COMPILER)).reads())
                .isLessThan(10);
    }

    @Test
    void the_samples_of_a_thread_that_has_ended_count_for_its_process() throws Exception {
        assertThat(watch(_ -> Map.of(OWN, Job.PROGRAM)).reads()).isGreaterThan(30);
        Sum other = watch(_ -> Map.of(OWN, Job.OTHER));
        assertThat(other.reads()).isGreaterThan(30);
        assertThat(other.stacks()).isTrue();
        assertThat(watch(_ -> Map.of(1, Job.PROGRAM)).reads()).as("another process").isZero();
    }

    /// Begins to profile itself, and prints the doubts.
    static final class Probe {
        public static void main(String[] arguments) {
            try (CpuProfiling profiling =
                    CpuProfiling.start(
                            new long[] {ProcessHandle.current().pid()},
                            pid -> 0,
                            CpuProfiling.Samples.SPARING)) {
                profiling.doubts().stream().map(Caveat::id).forEach(System.out::println);
            }
        }
    }

    private List<String> doubts(String... prefix) throws Exception {
        Path output = folder.resolve("probe.out");
        Process process = JavaChild.start(Probe.class, List.of(prefix), List.of("-Xmx64m"), output);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output);
    }

    @Test
    void a_kernel_that_gives_no_samples_raises_a_doubt() throws Exception {
        boolean refuses = Integer.parseInt(Files.readString(PARANOID).strip()) > 0;
        assertThat(doubts("setpriv", "--bounding-set=-perfmon,-sys_admin", "--"))
                .isEqualTo(refuses ? List.of("no-kernel-samples") : List.of());
        assertThat(doubts()).isEmpty();
    }
}
