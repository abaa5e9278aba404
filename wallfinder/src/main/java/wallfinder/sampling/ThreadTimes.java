package wallfinder.sampling;

import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the threads of some processes used and waited for, from `/proc/PID/task/TID/schedstat`.
final class ThreadTimes {
    /// Threads beyond this many, the youngest, are not looked at.
    static final int THREADS_MAX = 1_024;

    private static final double NANOS = 1e9;

    private final KernelText text = new KernelText();
    private final Map<Integer, Spent> known = new HashMap<>();
    private boolean begun;
    private boolean told;
    private int round;
    private double waitingNanos;
    private double busiestNanos;

    /// A thread; its times are those since this was made.
    private static final class Spent {
        private final double cpuNanosBefore;
        private double waitingNanos;
        private int round;

        Spent(double cpuNanosBefore, double waitingNanos) {
            this.cpuNanosBefore = cpuNanosBefore;
            this.waitingNanos = waitingNanos;
        }
    }

    void scan(List<ProcessStat> processes) {
        round++;
        int threads = 0;
        for (ProcessStat process : processes) {
            String folder = "/proc/" + process.pid() + "/task";
            for (String name : ProcessTree.names(new File(folder))) {
                if (threads++ < THREADS_MAX && text.loadOnce(folder + "/" + name + "/schedstat")) {
                    add(ProcessTree.number(name), text.number(), text.number());
                }
            }
        }
        known.values().removeIf(thread -> thread.round != round);
        begun = true;
    }

    private void add(int tid, double cpuNanos, double waited) {
        Spent thread = known.get(tid);
        if (thread == null || waited < thread.waitingNanos) {
            // One that was there at the start counts from then on, a later one from its beginning.
            thread = begun ? new Spent(0, 0) : new Spent(cpuNanos, waited);
            known.put(tid, thread);
        }
        waitingNanos += waited - thread.waitingNanos;
        busiestNanos = Math.max(busiestNanos, cpuNanos - thread.cpuNanosBefore);
        thread.waitingNanos = waited;
        thread.round = round;
        told = true;
    }

    /// Runnable without a CPU, over all threads; `NaN` on a kernel that does not tell.
    double waitingSeconds() {
        return told ? waitingNanos / NANOS : Double.NaN;
    }

    /// CPU time of the one thread that used most.
    double busiestSeconds() {
        return told ? busiestNanos / NANOS : Double.NaN;
    }
}
