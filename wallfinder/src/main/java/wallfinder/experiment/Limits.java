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

    /// A limit that a remedy can turn.
    public enum Kind {
        NOFILE("nofile"),
        PIDS("pids"),
        MEMORY("memory"),
        CPUS("cpus");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /// Its key in an experiment.
        public String word() {
            return word;
        }
    }

    /// The value of a limit as an experiment writes it, or null where nothing is asked.
    @Nullable String text(Kind kind) {
        return switch (kind) {
            case NOFILE -> nofile == null ? null : nofile.toString();
            case PIDS -> pids == null ? null : pids.toString();
            case MEMORY -> memoryBytes == null ? null : Quantity.told(memoryBytes);
            case CPUS -> cpus == null ? null : plain(cpus);
        };
    }

    /// The same with one limit turned.
    Limits with(Kind kind, String value) {
        return switch (kind) {
            case NOFILE -> new Limits(Quantity.count(value), pids, memoryBytes, cpus, cpuset);
            case PIDS -> new Limits(nofile, Quantity.count(value), memoryBytes, cpus, cpuset);
            case MEMORY -> new Limits(nofile, pids, Quantity.bytes(value), cpus, cpuset);
            case CPUS -> new Limits(nofile, pids, memoryBytes, Quantity.cpus(value), cpuset);
        };
    }

    private static String plain(double cpus) {
        return cpus == Math.rint(cpus) ? Long.toString((long) cpus) : Double.toString(cpus);
    }
}
