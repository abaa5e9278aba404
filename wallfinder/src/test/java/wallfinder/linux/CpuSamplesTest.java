package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.BitSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.sandbox.OwnCpus;

class CpuSamplesTest {
    private static final long BURNT_NANOS_MAX = 5_000_000_000L;

    /// The number of the last CPU is not below the number of CPUs that the thread may use.
    @Test
    @Tag("sandbox")
    void a_thread_that_may_use_only_the_last_cpu_is_sampled() throws Exception {
        BitSet last = new BitSet();
        last.set(OwnCpus.allowed().length() - 1);
        FutureTask<Boolean> sampled =
                new FutureTask<>(() -> {
                    Affinity.pin(last);
                    return samplesItself();
                });
        Thread.ofPlatform().start(sampled);
        assertThat(sampled.get()).isTrue();
    }

    private static boolean samplesItself() throws Exception {
        int self = Affinity.threadId();
        long end = ownCpuNanos() + BURNT_NANOS_MAX;
        try (CpuSamples samples = CpuSamples.open()) {
            while (ownCpuNanos() < end) {
                if (samples.take().stream().anyMatch(sample -> sample.tid() == self)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static long ownCpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 256, 257, 1_000, 8_192})
    void the_room_for_samples_is_bounded_for_each_cpu_and_for_all(int cpus) {
        long bytes = CpuSamples.dataBytes(cpus);
        assertThat(Long.bitCount(bytes)).as("a power of two").isEqualTo(1);
        assertThat(bytes).isBetween(HostUnits.PAGE_BYTES, 512L * 1024);
        assertThat(bytes * cpus).isLessThanOrEqualTo(128L * 1024 * 1024);
    }
}
