package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// Whether a JVM may be asked what it does. What can be seen from outside is seen in any case.
public sealed interface JvmAsking {
    /// For a process that nobody named, and while the memory of a service is what is measured.
    record Never() implements JvmAsking {}

    /// If it has virtual threads, and as long as there is a tenth of its memory and descriptors
    /// left.
    ///
    /// @param cgroup the folders of its cgroup, if it has one
    record OfVirtualThreads(Optional<CgroupDirs> cgroup) implements JvmAsking {}

    /// The part of a limit that may be in use.
    double USED_SHARE_MAX = 0.9;

    /// Tells, again and again, whether the memory limit of a cgroup is far enough away.
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
            KernelText text = new KernelText();
            try (CgroupLimits limits = new CgroupLimits(dirs)) {
                return !text.loadOnce(usage.toString())
                        || !(text.number() > USED_SHARE_MAX * limits.memoryBytes());
            }
        };
    }
}
