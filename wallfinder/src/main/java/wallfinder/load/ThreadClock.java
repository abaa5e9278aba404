package wallfinder.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import wallfinder.linux.HostUnits;

/// Reads the CPU time of one thread of this process. The file stays open, so that it can be read
/// when descriptors have run out.
final class ThreadClock implements AutoCloseable {
    private static final long TICK_NANOS = 1_000_000_000L / HostUnits.TICKS_PER_SECOND;

    private static final int BYTES_MAX = 1024;

    private final boolean precise;
    private final FileChannel file;

    /// Opens a thread's `schedstat`. On kernels without it, opens `stat` and reports the unknown
    /// waiting time as zero.
    ///
    /// @throws IOException if the thread has ended, or no descriptor is free
    ThreadClock(int threadId) throws IOException {
        Path folder = Path.of("/proc/self/task/" + threadId);
        precise = Files.exists(folder.resolve("schedstat"));
        file = FileChannel.open(folder.resolve(precise ? "schedstat" : "stat"));
    }

    /// @throws IOException if the thread has ended
    ThreadTimes read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
        file.read(bytes, 0);
        String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().trim();
        if (precise) {
            String[] words = text.split(" ");
            return new ThreadTimes(Long.parseLong(words[0]), Long.parseLong(words[1]));
        }
        String[] words = text.substring(text.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(words[11]) + Long.parseLong(words[12]);
        return new ThreadTimes(ticks * TICK_NANOS, 0);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
