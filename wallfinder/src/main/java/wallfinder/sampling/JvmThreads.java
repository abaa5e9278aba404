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
import org.jspecify.annotations.Nullable;

/// The threads of one process that a HotSpot JVM makes for itself, known by their names in
/// `/proc/PID/task/TID/comm`: those that collect garbage, those that compile, and those that carry
/// virtual threads.
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
    private final List<Worker> workers = new ArrayList<>();
    private final double[] endedSeconds = new double[Job.values().length];
    private final double[] seconds = new double[Job.values().length];
    private boolean jvm;
    private boolean virtual;
    private double stoppingSeconds = Double.NaN;

    JvmThreads(int pid) {
        folder = "/proc/" + pid + "/task";
    }

    /// What a thread works on.
    enum Job {
        COLLECTING,
        /// Collects too, and only while the world is stopped.
        STOPPING,
        COMPILING
    }

    /// A thread that the JVM has for a job.
    private static final class Worker {
        private final int tid;
        private final Job job;
        private final SampledFile times;
        private double seconds;

        Worker(int tid, Job job, SampledFile times) {
            this.tid = tid;
            this.job = job;
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
        Job job = jobOf(name);
        if (job != null && !(again && known(tid))) {
            Path times = Path.of(folder, Integer.toString(tid), "schedstat");
            workers.add(new Worker(tid, job, new SampledFile(times)));
        }
    }

    private boolean known(int tid) {
        return workers.stream().anyMatch(worker -> worker.tid == tid);
    }

    /// Serial collects in the VM thread itself; the others let it begin and end their pauses.
    ///
    /// @param name as the kernel keeps it
    /// @return null for a thread of the program's own
    static @Nullable Job jobOf(String name) {
        if (name.equals(VM_THREAD) || name.startsWith("GC Thread#")) {
            return Job.STOPPING;
        }
        if (name.startsWith("C1 CompilerThre") || name.startsWith("C2 CompilerThre")) {
            return Job.COMPILING;
        }
        boolean collects =
                name.startsWith("G1 ")
                        || name.startsWith("Shenandoah GC")
                        || name.startsWith("ZWorker")
                        || name.startsWith("XWorker")
                        || name.startsWith("ZDriver")
                        || name.startsWith("XDriver");
        return collects ? Job.COLLECTING : null;
    }

    /// Reads the times of those that have a job.
    @SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than the process
    void read() {
        System.arraycopy(endedSeconds, 0, seconds, 0, seconds.length);
        double longest = 0;
        for (int i = workers.size() - 1; i >= 0; i--) {
            Worker worker = workers.get(i);
            if (worker.times.read()) {
                worker.seconds = worker.times.text().number() / 1e9;
            } else {
                endedSeconds[worker.job.ordinal()] += worker.seconds;
                worker.times.close();
                workers.remove(i);
            }
            seconds[worker.job.ordinal()] += worker.seconds;
            longest = Math.max(longest, worker.job == Job.STOPPING ? worker.seconds : 0);
        }
        stoppingSeconds = jvm ? Math.max(longest, zeroIfNaN(stoppingSeconds)) : Double.NaN;
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
        return jvm ? seconds(Job.COLLECTING) + seconds(Job.STOPPING) : Double.NaN;
    }

    /// CPU time of those that compile, ended ones included; `NaN` if it is no JVM.
    double compilerSeconds() {
        return jvm ? seconds(Job.COMPILING) : Double.NaN;
    }

    @SuppressWarnings("EnumOrdinal") // as in `read`
    private double seconds(Job job) {
        return seconds[job.ordinal()];
    }

    /// CPU time of the busiest of those that work only while the world is stopped: it was stopped
    /// for as long at least.
    double stoppingSeconds() {
        return stoppingSeconds;
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.times.close());
        workers.clear();
    }
}
