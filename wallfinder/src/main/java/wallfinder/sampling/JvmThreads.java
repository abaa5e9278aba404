package wallfinder.sampling;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The threads of one process that a HotSpot JVM makes for itself, known by their names in
/// `/proc/PID/task/TID/comm`: those that collect garbage, and those that carry virtual threads.
///
/// Since Java 9 the kernel is told the names. The kernel keeps 15 bytes of each.
final class JvmThreads implements AutoCloseable {
    /// Threads beyond this many are not looked at.
    private static final int THREADS_MAX = 8_192;

    /// A thread gets its name a moment after it has begun.
    private static final int LOOKS = 3;

    private static final String VM_THREAD = "VM Thread";

    private final String folder;
    private final KernelText text = new KernelText();
    private final Map<Integer, Integer> looks = new HashMap<>();
    private final List<Collector> collectors = new ArrayList<>();
    private boolean jvm;
    private boolean virtual;
    private double endedSeconds;
    private double seconds = Double.NaN;
    private double stoppingSeconds = Double.NaN;

    JvmThreads(int pid) {
        folder = "/proc/" + pid + "/task";
    }

    /// One that collects.
    private static final class Collector {
        private final int tid;

        /// Whether it works only while the world is stopped.
        private final boolean stopping;

        private final KernelFile times;
        private double seconds;

        Collector(int tid, boolean stopping, KernelFile times) {
            this.tid = tid;
            this.stopping = stopping;
            this.times = times;
        }
    }

    /// Looks for new threads.
    void scan() {
        String[] names = ProcessTree.names(new File(folder));
        Set<Integer> listed = new HashSet<>();
        for (int i = 0; i < names.length && i < THREADS_MAX; i++) {
            int tid = ProcessTree.number(names[i]);
            listed.add(tid);
            int looked = looks.merge(tid, 1, Integer::sum);
            if (looked <= LOOKS) {
                look(tid, looked > 1);
            }
        }
        looks.keySet().retainAll(listed);
    }

    private void look(int tid, boolean again) {
        if (!text.loadOnce(folder + "/" + tid + "/comm")) {
            return;
        }
        String name = new String(text.restOfLine(), StandardCharsets.US_ASCII);
        jvm |= name.equals(VM_THREAD);
        virtual |= name.startsWith("VirtualThread-") || name.startsWith("ForkJoinPool-1-");
        if (collects(name) && !(again && known(tid))) {
            Path times = Path.of(folder, Integer.toString(tid), "schedstat");
            collectors.add(new Collector(tid, stops(name), new KernelFile(times)));
        }
    }

    private boolean known(int tid) {
        return collectors.stream().anyMatch(collector -> collector.tid == tid);
    }

    /// Serial collects in the VM thread itself; the others let it begin and end their pauses.
    static boolean collects(String name) {
        return stops(name)
                || name.startsWith("G1 ")
                || name.startsWith("Shenandoah GC")
                || name.startsWith("ZWorker")
                || name.startsWith("XWorker")
                || name.startsWith("ZDriver")
                || name.startsWith("XDriver");
    }

    private static boolean stops(String name) {
        return name.equals(VM_THREAD) || name.startsWith("GC Thread#");
    }

    /// Reads the times of those that collect.
    void read() {
        double all = endedSeconds;
        double stopping = 0;
        for (int i = collectors.size() - 1; i >= 0; i--) {
            Collector collector = collectors.get(i);
            if (collector.times.read()) {
                collector.seconds = collector.times.text().number() / 1e9;
            } else {
                endedSeconds += collector.seconds;
                collector.times.close();
                collectors.remove(i);
            }
            all += collector.seconds;
            stopping = Math.max(stopping, collector.stopping ? collector.seconds : 0);
        }
        seconds = jvm ? all : Double.NaN;
        stoppingSeconds = jvm ? Math.max(stopping, zeroIfNaN(stoppingSeconds)) : Double.NaN;
    }

    private static double zeroIfNaN(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    /// Whether the process is a JVM.
    boolean isJvm() {
        return jvm;
    }

    /// Whether it has begun to use virtual threads.
    boolean hasVirtualThreads() {
        return virtual;
    }

    /// CPU time of those that collect, ended ones included; `NaN` if it is no JVM.
    double collectorSeconds() {
        return seconds;
    }

    /// CPU time of the busiest of those that work only while the world is stopped: it was stopped
    /// for as long at least.
    double stoppingSeconds() {
        return stoppingSeconds;
    }

    @Override
    public void close() {
        collectors.forEach(collector -> collector.times.close());
        collectors.clear();
    }
}
