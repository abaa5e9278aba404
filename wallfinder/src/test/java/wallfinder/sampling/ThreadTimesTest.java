package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CpuWindow.ThreadCpu;

class ThreadTimesTest {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private static void burn(double seconds) {
        double end = CLOCK.getCurrentThreadCpuTime() + 1e9 * seconds;
        while (CLOCK.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static double endedSeconds(ThreadTimes times) {
        return times.look().stream()
                .filter(thread -> thread.name().equals("ended threads"))
                .mapToDouble(ThreadCpu::seconds)
                .sum();
    }

    /// A thread is joined a moment before the kernel counts it as ended.
    @Test
    void the_time_of_threads_that_ended_between_two_looks_is_counted_once() throws Exception {
        try (ThreadTimes times = new ThreadTimes(ProcessHandle.current().pid())) {
            for (int i = 0; i < 10; i++) {
                Thread.ofPlatform().start(() -> burn(0.1)).join();
            }
            double[] ended = {0};
            Readings.waitFor("all have ended", () -> (ended[0] += endedSeconds(times)) > 0.95);
            assertThat(ended[0]).isCloseTo(1, within(0.1));
            burn(0.3);
            assertThat(endedSeconds(times)).isLessThan(0.2);
        }
    }
}
