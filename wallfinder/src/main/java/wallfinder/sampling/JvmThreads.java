package wallfinder.sampling;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The threads that a HotSpot JVM starts for itself: collectors, compilers and the carriers of
/// virtual threads. It recognizes them by their names in `/proc/PID/task/TID/comm`. A JVM sets
/// these names since Java 9; the kernel keeps 15 bytes of each.
final class JvmThreads implements AutoCloseable {
    private static final int THREADS_MAX = 8_192;

    /// A thread gets its name a moment after its start, so each is looked at more than once.
    private static final int LOOKS = 3;

    private static final double NANOS = 1e9;

    static final String VM_THREAD = "VM Thread";

    private final String folder;
    private final KernelText text = new KernelText();
    private final Map<Integer, Integer> looks = new HashMap<>();
    private final List<Worker> workers = new ArrayList<>();
    private final double[] endedSeconds = new double[Job.values().length];
    private final double[] seconds = new double[Job.values().length];
    private double endedWaitingSeconds;
    private double waitingSeconds;
    private boolean jvm;
    private boolean virtual;
    private boolean concurrent;
    private double stoppingSeconds = Double.NaN;

    JvmThreads(int pid) {
        folder = "/proc/" + pid + "/task";
    }

    enum Job {
        COLLECTING,
        /// Collects garbage, and only while the JVM is stopped.
        STOPPING,
        COMPILING
    }

    private static final class Worker {
        private final int tid;
        private final Job job;
        private final SampledFile times;
        private double seconds;
        private double waitingSeconds;

        Worker(int tid, Job job, SampledFile times) {
            this.tid = tid;
            this.job = job;
            this.times = times;
        }
    }

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
        String name = ThreadScan.name(text, folder + "/" + tid);
        jvm |= name.equals(VM_THREAD);
        virtual |= name.startsWith("VirtualThread-") || name.startsWith("ForkJoinPool-1-");
        concurrent |=
                name.startsWith("ZDriver")
                        || name.startsWith("XDriver")
                        || name.startsWith("Shenandoah ");
        Job job = jobOf(name);
        if (job != null && !(again && known(tid))) {
            Path times = Path.of(folder, Integer.toString(tid), "schedstat");
            workers.add(new Worker(tid, job, new SampledFile(times)));
        }
    }

    private boolean known(int tid) {
        return workers.stream().anyMatch(worker -> worker.tid == tid);
    }

    /// The job of a thread, null for a thread of the program. The VM thread collects for Serial;
    /// for other collectors it begins and ends the pauses.
    static @Nullable Job jobOf(String name) {
        if (name.equals(VM_THREAD)
                || name.startsWith("GC Thread#")
                || name.startsWith("ParGC Thread#")) { // Java 11
            return Job.STOPPING;
        }
        if (name.startsWith("C1 CompilerThre")
                || name.startsWith("C2 CompilerThre")
                || name.startsWith("JVMCI")) { // GraalVM's compiler
            return Job.COMPILING;
        }
        boolean collects =
                name.startsWith("G1 ")
                        || name.startsWith("CMS ")
                        || name.startsWith("Shenandoah GC")
                        || name.startsWith("ZWorker")
                        || name.startsWith("XWorker")
                        || name.startsWith("ZDriver")
                        || name.startsWith("XDriver");
        return collects ? Job.COLLECTING : null;
    }

    @SuppressWarnings("EnumOrdinal") // an index into arrays that are never stored
    void read() {
        System.arraycopy(endedSeconds, 0, seconds, 0, seconds.length);
        waitingSeconds = endedWaitingSeconds;
        double longest = 0;
        for (int i = workers.size() - 1; i >= 0; i--) {
            Worker worker = workers.get(i);
            if (worker.times.read()) {
                worker.seconds = worker.times.text().number() / NANOS;
                worker.waitingSeconds = worker.times.text().number() / NANOS;
            } else {
                endedSeconds[worker.job.ordinal()] += worker.seconds;
                endedWaitingSeconds += worker.waitingSeconds;
                worker.times.close();
                workers.remove(i);
            }
            seconds[worker.job.ordinal()] += worker.seconds;
            waitingSeconds += worker.waitingSeconds;
            longest = Math.max(longest, worker.job == Job.STOPPING ? worker.seconds : 0);
        }
        stoppingSeconds = jvm ? Math.max(longest, zeroIfNaN(stoppingSeconds)) : Double.NaN;
    }

    private static double zeroIfNaN(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    boolean isJvm() {
        return jvm;
    }

    /// Whether its collector is ZGC or Shenandoah.
    boolean collectsConcurrently() {
        return concurrent;
    }

    /// Whether it has begun to use virtual threads.
    boolean hasVirtualThreads() {
        return virtual;
    }

    /// CPU time of the collectors, including ended threads; `NaN` if the process is not a JVM.
    double collectorSeconds() {
        return jvm ? seconds(Job.COLLECTING) + seconds(Job.STOPPING) : Double.NaN;
    }

    /// CPU time of the compilers, including ended threads; `NaN` if the process is not a JVM.
    double compilerSeconds() {
        return jvm ? seconds(Job.COMPILING) : Double.NaN;
    }

    /// The time in which they were runnable without a CPU, including ended threads; `NaN` if the
    /// process is not a JVM.
    double waitingSeconds() {
        return jvm ? waitingSeconds : Double.NaN;
    }

    @SuppressWarnings("EnumOrdinal") // as in `read`
    private double seconds(Job job) {
        return seconds[job.ordinal()];
    }

    /// CPU time of the busiest thread that works only while the JVM is stopped. The JVM was stopped
    /// at least that long.
    double stoppingSeconds() {
        return stoppingSeconds;
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.times.close());
        workers.clear();
    }
}
