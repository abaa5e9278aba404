package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// Whether Wallfinder may ask a JVM what it does. It always reads what is visible from outside.
public sealed interface JvmAsking {
    /// For a process that the user did not name, and while the memory of a service is measured.
    record Never() implements JvmAsking {}

    /// Asks a JVM that has virtual threads, or threads that wait for each other, or ZGC or
    /// Shenandoah, while a tenth of its memory and descriptors is free.
    record IfAffordable(Optional<CgroupDirs> cgroup) implements JvmAsking {}

    long PAUSE_NANOS_MIN = 500_000_000L;
    long PAUSE_NANOS_MAX = 5_000_000_000L;

    /// A JVM is stopped for a part of the time in which it answers. All answers take at most a
    /// twentieth of the time.
    long ANSWERS_PER_TIME = 20;

    /// For an answer that is still being written.
    long END_MILLIS_MAX = 5_000;

    /// The part of a limit that may be in use.
    double USED_SHARE_MAX = 0.9;

    /// The pause between an answer and the next question.
    ///
    /// @param took how long the answer took
    static long pauseNanos(long took) {
        return Math.clamp(ANSWERS_PER_TIME * took, PAUSE_NANOS_MIN, PAUSE_NANOS_MAX);
    }

    /// Ends the thread that asks.
    static void end(Thread thread) {
        LockSupport.unpark(thread);
        try {
            thread.join(END_MILLIS_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Checks at each call whether a tenth of a cgroup's memory limit is free.
    static BooleanSupplier memoryLeft(@Nullable CgroupDirs dirs) {
        Path folder = dirs == null ? null : dirs.memory();
        if (dirs == null || folder == null) {
            return () -> true;
        }
        String name = dirs.version() == 1 ? "memory.usage_in_bytes" : "memory.current";
        Path usage = folder.resolve(name);
        return () -> {
            if (!Files.exists(usage)) {
                return true;
            }
            try (CgroupLimits limits = new CgroupLimits(dirs)) {
                return !(SampledFile.numberIn(usage) > USED_SHARE_MAX * limits.memoryBytes());
            }
        };
    }
}
