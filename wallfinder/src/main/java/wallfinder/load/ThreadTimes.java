package wallfinder.load;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The times of one thread of this process.
///
/// @param cpuNanos on a CPU
/// @param waitingNanos runnable without a CPU
record ThreadTimes(long cpuNanos, long waitingNanos) {
    static final ThreadTimes NONE = new ThreadTimes(0, 0);

    /// `/proc/PID/task/TID/stat` counts in hundredths of a second on all Linux platforms.
    private static final long TICK_NANOS = 10_000_000L;

    /// Reads a thread's `schedstat`, or its `stat` where the kernel has no such file: then the
    /// waiting is unknown and told as zero.
    ///
    /// @throws IOException if the thread has ended
    static ThreadTimes read(int threadId) throws IOException {
        String folder = "/proc/self/task/" + threadId + "/";
        try {
            String[] words = read(folder + "schedstat").trim().split(" ");
            return new ThreadTimes(Long.parseLong(words[0]), Long.parseLong(words[1]));
        } catch (IOException e) {
            String stat = read(folder + "stat");
            String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long ticks = Long.parseLong(words[11]) + Long.parseLong(words[12]);
            return new ThreadTimes(ticks * TICK_NANOS, 0);
        }
    }

    private static String read(String path) throws IOException {
        try (FileInputStream in = new FileInputStream(path)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    ThreadTimes since(ThreadTimes earlier) {
        return new ThreadTimes(cpuNanos - earlier.cpuNanos, waitingNanos - earlier.waitingNanos);
    }
}
