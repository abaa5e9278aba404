package wallfinder.sampling;

import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long the threads of some processes ran and waited for a CPU, from
/// `/proc/PID/task/TID/schedstat`, and where they sleep.
final class ThreadScan {
    /// Looks at no more than this many threads, the oldest ones.
    static final int THREADS_MAX = 8_192;

    private static final double NANOS = 1e9;

    private final KernelText text = new KernelText();
    private final Map<Integer, Spent> spentByTid = new HashMap<>();
    private final AlikeThreads alike = new AlikeThreads();
    private final SpinningThreads spinners = new SpinningThreads();
    private boolean begun;
    private boolean known;
    private int round;
    private double waitingNanos;
    private double busiestNanos;
    private double busiestWantedNanos;

    private static final class Spent {
        private final double cpuNanosBefore;
        private final double waitingNanosBefore;
        private final AlikeThreads.Sleeper sleeper;
        private double waitingNanos;
        private double slices = -1;
        private boolean scannedTwice;
        private int round;

        Spent(double cpuNanosBefore, double waitingNanos, AlikeThreads.Sleeper sleeper) {
            this.cpuNanosBefore = cpuNanosBefore;
            waitingNanosBefore = waitingNanos;
            this.waitingNanos = waitingNanos;
            this.sleeper = sleeper;
        }
    }

    void scan(List<ProcessStat> processes) {
        round++;
        int threads = 0;
        for (ProcessStat process : processes) {
            String folder = "/proc/" + process.pid() + "/task";
            for (String name : ProcessTree.names(new File(folder))) {
                String thread = folder + "/" + name;
                if (threads++ < THREADS_MAX && text.loadOnce(thread + "/schedstat")) {
                    add(ProcessTree.number(name), thread);
                }
            }
        }
        spentByTid.values().removeIf(thread -> thread.round != round);
        alike.count(spentByTid.values().stream().map(thread -> thread.sleeper).toList());
        begun = true;
    }

    private void add(int tid, String folder) {
        double cpuNanos = text.number();
        double waited = text.number();
        double slices = text.number();
        Spent thread = spentByTid.get(tid);
        if (thread == null || waited < thread.waitingNanos) {
            // A thread counts from the first scan on, or from its start if it started later.
            AlikeThreads.Sleeper sleeper = new AlikeThreads.Sleeper();
            thread = begun ? new Spent(0, 0, sleeper) : new Spent(cpuNanos, waited, sleeper);
            spentByTid.put(tid, thread);
        }
        waitingNanos += waited - thread.waitingNanos;
        compare(
                tid,
                folder,
                cpuNanos - thread.cpuNanosBefore,
                cpuNanos - thread.cpuNanosBefore + waited - thread.waitingNanosBefore);
        thread.scannedTwice = thread.slices >= 0;
        thread.sleeper.ran = thread.scannedTwice ? slices > thread.slices : begun;
        if (slices != thread.slices || !thread.sleeper.sleeps()) {
            thread.sleeper.look(text, folder, slices);
        }
        thread.waitingNanos = waited;
        thread.slices = slices;
        thread.round = round;
        known = true;
    }

    /// Leaves out threads that answer no requests: a JVM's compilers and collectors, and threads
    /// that spin without load.
    private void compare(int tid, String folder, double usedNanos, double wantedNanos) {
        boolean busier = usedNanos > busiestNanos || wantedNanos > busiestWantedNanos;
        if (busier && !spinners.spins(tid) && JvmThreads.jobOf(name(text, folder)) == null) {
            busiestNanos = Math.max(busiestNanos, usedNanos);
            busiestWantedNanos = Math.max(busiestWantedNanos, wantedNanos);
        }
    }

    /// The kernel's name of the thread with this folder in `/proc`; empty if the thread has ended.
    static String name(KernelText text, String folder) {
        return text.loadOnce(folder + "/comm") ? text.line() : "";
    }

    /// Whether a thread ran between the last two scans, as far as is known.
    boolean ran(int tid) {
        Spent thread = spentByTid.get(tid);
        return thread == null || !thread.scannedTwice || thread.sleeper.ran;
    }

    SpinningThreads spinners() {
        return spinners;
    }

    /// The time in which threads were runnable without a CPU, over all threads; `NaN` on a kernel
    /// without `schedstat`.
    double waitingSeconds() {
        return known ? waitingNanos / NANOS : Double.NaN;
    }

    /// The CPU time of the busiest thread among those that may answer requests.
    double busiestSeconds() {
        return known ? busiestNanos / NANOS : Double.NaN;
    }

    /// The longest time in which one such thread was running or ready to run.
    double busiestWantedSeconds() {
        return known ? busiestWantedNanos / NANOS : Double.NaN;
    }

    /// See [AlikeThreads].
    double receiving() {
        return known ? alike.receiving() : Double.NaN;
    }

    double queueing() {
        return known ? alike.queueing() : Double.NaN;
    }
}
