package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// Whether Wallfinder may ask a JVM what it does. It always reads what is visible from outside.
public sealed interface JvmAsking {
    /// For a process that the user did not name, and while the memory of a service is measured.
    record Never() implements JvmAsking {}

    /// Asks a JVM that has virtual threads, or threads that wait for each other, while a tenth of
    /// its memory and descriptors is free.
    record IfAffordable(Optional<CgroupDirs> cgroup) implements JvmAsking {}

    /// The part of a limit that may be in use.
    double USED_SHARE_MAX = 0.9;

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
