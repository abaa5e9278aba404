package wallfinder.experiment;

import org.jspecify.annotations.Nullable;

/// What a service may use; null where nothing is asked.
///
/// @param nofile open descriptors, soft and hard (`RLIMIT_NOFILE`)
/// @param pids tasks of the service, threads included (`pids.max`)
/// @param memoryBytes memory without swap (`memory.max`)
/// @param cpus CPU time a second (`cpu.max`), in CPUs
/// @param cpuset the CPUs it may run on, as in `0-2,5`
public record Limits(
        @Nullable Long nofile,
        @Nullable Long pids,
        @Nullable Long memoryBytes,
        @Nullable Double cpus,
        @Nullable String cpuset) {
    public static final Limits NONE = new Limits(null, null, null, null, null);
}
