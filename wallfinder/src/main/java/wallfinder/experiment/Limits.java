package wallfinder.experiment;

import org.jspecify.annotations.Nullable;

/// The resource limits of a service; null for no limit.
///
/// @param nofile open descriptors, soft and hard limit (`RLIMIT_NOFILE`)
/// @param pids processes and threads (`pids.max`)
/// @param memoryBytes memory without swap (`memory.max`)
/// @param cpus CPU seconds a second (`cpu.max`)
/// @param cpuset the CPUs it may run on, as in `0-2,5`
/// @param tcpMemoryBytes of TCP sockets (`memory.kmem.tcp.limit_in_bytes`, cgroups of version 1)
/// @param swapBytes swap in addition to the memory (`memory.swap.max`); null for none
public record Limits(
        @Nullable Long nofile,
        @Nullable Long pids,
        @Nullable Long memoryBytes,
        @Nullable Double cpus,
        @Nullable String cpuset,
        @Nullable Long tcpMemoryBytes,
        @Nullable Long swapBytes) {
    public static final Limits NONE = new Limits(null, null, null, null, null, null, null);

    /// A limit that a remedy can change.
    public enum Kind {
        NOFILE("nofile"),
        PIDS("pids"),
        MEMORY("memory"),
        TCP_MEMORY("tcpMemory"),
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

    /// The value of a limit as in an experiment, or null for no limit.
    public @Nullable String text(Kind kind) {
        return switch (kind) {
            case NOFILE -> nofile == null ? null : nofile.toString();
            case PIDS -> pids == null ? null : pids.toString();
            case MEMORY -> memoryBytes == null ? null : Quantity.bytesText(memoryBytes);
            case TCP_MEMORY -> tcpMemoryBytes == null ? null : Quantity.bytesText(tcpMemoryBytes);
            case CPUS -> cpus == null ? null : cpusText(cpus);
        };
    }

    Limits with(Kind kind, String value) {
        Long number =
                switch (kind) {
                    case CPUS -> null;
                    case MEMORY, TCP_MEMORY -> Long.valueOf(Quantity.bytes(value));
                    case NOFILE, PIDS -> Long.valueOf(Quantity.count(value));
                };
        return new Limits(
                kind == Kind.NOFILE ? number : nofile,
                kind == Kind.PIDS ? number : pids,
                kind == Kind.MEMORY ? number : memoryBytes,
                kind == Kind.CPUS ? Double.valueOf(Quantity.cpus(value)) : cpus,
                cpuset,
                kind == Kind.TCP_MEMORY ? number : tcpMemoryBytes,
                swapBytes);
    }

    /// A number of CPUs as in an experiment.
    public static String cpusText(double cpus) {
        return cpus == Math.rint(cpus) ? Long.toString((long) cpus) : Double.toString(cpus);
    }
}
