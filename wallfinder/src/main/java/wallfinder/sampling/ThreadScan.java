package wallfinder.sampling;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the threads of some processes used and waited for, from `/proc/PID/task/TID/schedstat`, and
/// where they sleep.
final class ThreadScan {
    /// Threads beyond this many, the youngest, are not looked at.
    static final int THREADS_MAX = 1_024;

    private static final double NANOS = 1e9;

    private final KernelText text = new KernelText();
    private final Map<Integer, Spent> known = new HashMap<>();
    private final AlikeThreads alike = new AlikeThreads();
    private final SpinningThreads spinners = new SpinningThreads();
    private boolean begun;
    private boolean told;
    private int round;
    private double waitingNanos;
    private double busiestNanos;
    private double busiestWantedNanos;

    /// A thread; its times are those since this was made.
    private static final class Spent {
        private final double cpuNanosBefore;
        private final double waitingNanosBefore;
        private final AlikeThreads.Sleeper sleeper;
        private double waitingNanos;
        private double slices = -1;
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
        known.values().removeIf(thread -> thread.round != round);
        alike.count(sleepers());
        begun = true;
    }

    private void add(int tid, String folder) {
        double cpuNanos = text.number();
        double waited = text.number();
        double slices = text.number();
        Spent thread = known.get(tid);
        if (thread == null || waited < thread.waitingNanos) {
            // One that was there at the start counts from then on, a later one from its beginning.
            AlikeThreads.Sleeper sleeper = new AlikeThreads.Sleeper();
            thread = begun ? new Spent(0, 0, sleeper) : new Spent(cpuNanos, waited, sleeper);
            known.put(tid, thread);
        }
        waitingNanos += waited - thread.waitingNanos;
        compare(
                tid,
                folder,
                cpuNanos - thread.cpuNanosBefore,
                cpuNanos - thread.cpuNanosBefore + waited - thread.waitingNanosBefore);
        thread.sleeper.ran = thread.slices < 0 ? begun : slices > thread.slices;
        if (slices != thread.slices) {
            thread.sleeper.look(text, folder);
        }
        thread.waitingNanos = waited;
        thread.slices = slices;
        thread.round = round;
        told = true;
    }

    /// Left out are those that answer no requests: a JVM's own, which compile and collect, and
    /// those that spin without any load.
    private void compare(int tid, String folder, double usedNanos, double wantedNanos) {
        boolean busier = usedNanos > busiestNanos || wantedNanos > busiestWantedNanos;
        if (busier && !spinners.spins(tid) && JvmThreads.jobOf(name(text, folder)) == null) {
            busiestNanos = Math.max(busiestNanos, usedNanos);
            busiestWantedNanos = Math.max(busiestWantedNanos, wantedNanos);
        }
    }

    /// As the kernel keeps it; empty if the thread is gone.
    ///
    /// @param folder of the thread in `/proc`
    static String name(KernelText text, String folder) {
        return text.loadOnce(folder + "/comm")
                ? new String(text.restOfLine(), StandardCharsets.US_ASCII)
                : "";
    }

    SpinningThreads spinners() {
        return spinners;
    }

    private Collection<AlikeThreads.Sleeper> sleepers() {
        return known.values().stream().map(thread -> thread.sleeper).toList();
    }

    /// Runnable without a CPU, over all threads; `NaN` on a kernel that does not tell.
    double waitingSeconds() {
        return told ? waitingNanos / NANOS : Double.NaN;
    }

    /// CPU time of the one thread that used most, of those that may answer requests.
    double busiestSeconds() {
        return told ? busiestNanos / NANOS : Double.NaN;
    }

    /// The time in which one thread ran or was ready to run, of the one where it was longest.
    double busiestWantedSeconds() {
        return told ? busiestWantedNanos / NANOS : Double.NaN;
    }

    /// See [AlikeThreads].
    double receiving() {
        return told ? alike.receiving() : Double.NaN;
    }

    double queueing() {
        return told ? alike.queueing() : Double.NaN;
    }
}
