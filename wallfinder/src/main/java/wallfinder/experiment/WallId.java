package wallfinder.experiment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The ids of all walls, in experiments, results and pages.
public enum WallId {
    EPHEMERAL_PORTS,
    CONNECTION_CHURN,
    TIME_WAIT_BUCKETS,
    ACCEPT_QUEUE,
    SYN_QUEUE,
    FILE_DESCRIPTORS,
    CONNTRACK_TABLE,
    TCP_MEMORY,
    SOFTNET_BACKLOG,
    BANDWIDTH,
    PACKET_LOSS,
    DELAYED_ACK,
    TCP_WINDOW,
    CPU,
    CPU_QUOTA,
    CPU_STEAL,
    TLS_HANDSHAKES,
    SOFTIRQ_CPU,
    MEMORY_LIMIT,
    HEAP,
    GC,
    PAGE_CACHE,
    SWAP,
    THREAD_LIMIT,
    SERVER_CONCURRENCY,
    CLIENT_CONNECTIONS,
    SLOW_DEPENDENCY,
    BLOCKED_OUTPUT,
    DISK_IO,
    LOCK_CONTENTION,
    CARRIER_PINNING,
    NAME_LOOKUP,
    LOAD_SHEDDING,
    LOAD_GENERATOR;

    /// The words of all walls, in this order.
    public static final List<String> WORDS = Arrays.stream(values()).map(WallId::word).toList();

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    public String word() {
        return word;
    }

    /// @return null if there is no such wall
    public static @Nullable WallId find(String word) {
        int index = WORDS.indexOf(word);
        return index < 0 ? null : values()[index];
    }

    @Override
    public String toString() {
        return word;
    }
}
