package wallfinder.experiment;

import java.util.List;

/// The ids of all walls, as experiments, results and pages write them.
public final class WallIds {
    public static final List<String> ALL =
            List.of(
                    "ephemeral-ports",
                    "connection-churn",
                    "time-wait-buckets",
                    "accept-queue",
                    "syn-queue",
                    "file-descriptors",
                    "conntrack-table",
                    "tcp-memory",
                    "softnet-backlog",
                    "cpu",
                    "cpu-quota",
                    "memory-limit",
                    "heap",
                    "gc",
                    "page-cache",
                    "thread-limit",
                    "server-concurrency",
                    "client-connections",
                    "carrier-pinning",
                    "name-lookup",
                    "load-shedding",
                    "load-generator");

    private WallIds() {}
}
