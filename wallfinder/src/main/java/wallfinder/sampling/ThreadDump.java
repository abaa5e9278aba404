package wallfinder.sampling;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The carriers of virtual threads in a JVM's thread dump.
///
/// @param carriers the carriers by name
record ThreadDump(Map<String, Carrier> carriers) {
    /// ```
    /// "ForkJoinPool-1-worker-2" #24 [7369] daemon prio=5 os_prio=0 cpu=8.82ms elapsed=0.67s …
    ///    Carrying virtual thread #37
    /// ```
    private static final Pattern HEADER =
            Pattern.compile(
                    "^\"((ForkJoinPool-\\d+)-worker-\\d+)\" .* cpu=(\\d{1,15}(?:\\.\\d{1,9})?)ms ");

    private static final Pattern CARRYING =
            Pattern.compile("^\\s+Carrying virtual thread #(\\d{1,18})");
    private static final String POOL = "ForkJoinPool-1";
    private static final long IDLE = 0;

    /// A carrier that used more CPU time than this counts as working. Between two dumps a JVM runs
    /// for 0.3 ms or more, however long it is stopped for the second one.
    private static final long WORKING_NANOS = 100_000;

    /// @param cpuNanos the CPU time so far
    /// @param carries the number of the mounted virtual thread, 0 if there is none
    record Carrier(String pool, long cpuNanos, long carries) {
        Carrier carrying(long virtualThread) {
            return new Carrier(pool, cpuNanos, virtualThread);
        }
    }

    static ThreadDump of(String text) {
        Map<String, Carrier> workers = new HashMap<>();
        String pool = POOL;
        String name = "";
        for (String line : text.lines().toList()) {
            Matcher header = HEADER.matcher(line);
            Matcher carrying = CARRYING.matcher(line);
            if (header.find()) {
                name = header.group(1);
                long cpuNanos = (long) (Double.parseDouble(header.group(3)) * 1e6);
                workers.put(name, new Carrier(header.group(2), cpuNanos, IDLE));
            } else if (line.isEmpty()) {
                name = "";
            } else if (carrying.find() && workers.containsKey(name)) {
                long carries = Long.parseLong(carrying.group(1));
                workers.computeIfPresent(name, (key, idle) -> idle.carrying(carries));
                pool = name.substring(0, name.indexOf("-worker-"));
            }
        }
        String carriers = pool; // the program may have other pools
        workers.values().removeIf(worker -> !worker.pool().equals(carriers));
        return new ThreadDump(Map.copyOf(workers));
    }

    /// The number of carriers with a virtual thread in an earlier dump and in this one that used
    /// next to no CPU in between. A working carrier would use CPU, and a waiting virtual thread
    /// should unmount from its carrier.
    int heldSince(ThreadDump earlier) {
        int held = 0;
        for (Map.Entry<String, Carrier> entry : carriers.entrySet()) {
            Carrier now = entry.getValue();
            Carrier before = earlier.carriers.get(entry.getKey());
            if (before != null
                    && now.carries() != IDLE
                    && before.carries() != IDLE
                    && now.cpuNanos() - before.cpuNanos() <= WORKING_NANOS) {
                held++;
            }
        }
        return held;
    }
}
