package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wallfinder.linux.HostUnits;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// The CPU time of each thread of some processes between two looks, from
/// `/proc/PID/task/TID/schedstat`, and the part of it in the kernel, from
/// `/proc/PID/task/TID/stat`.
///
/// The kernel counts the time of the mode that a tick of its clock finds. So the part in the kernel
/// is a sample, and only exact over many ticks. What a process used beyond its threads, by
/// `/proc/PID/stat`, was used by threads that ended. The time of a process that ended between two
/// looks is missing.
public final class ThreadTimes implements AutoCloseable {
    /// The name of the threads that ended.
    private static final String ENDED = "ended threads";

    private static final int THREADS_MAX = 8_192;
    private static final double NANOS = 1e9;

    /// The kernel rounds the time of a process to its ticks of 10 ms, in two modes.
    private static final double ENDED_SECONDS_MIN = 0.03;

    private final long[] roots;
    private final ProcessTree tree = new ProcessTree();
    private final KernelText text = new KernelText();
    private final Map<Integer, Spent> spentByTid = new HashMap<>();
    private final Map<Integer, Spent> spentByPid = new HashMap<>();
    private final Map<Integer, Job> jobByTid = new HashMap<>();

    /// @param roots the processes whose descendants count as well
    public ThreadTimes(long... roots) {
        this.roots = roots.clone();
        look();
    }

    private record Spent(double seconds, double userTicks, double kernelTicks) {
        static final Spent NOTHING = new Spent(0, 0, 0);

        Spent since(Spent before) {
            return new Spent(
                    seconds - before.seconds,
                    userTicks - before.userTicks,
                    kernelTicks - before.kernelTicks);
        }

        /// Without a tick, the thread ran for less than a hundredth of a second.
        double kernelSeconds() {
            double ticks = userTicks + kernelTicks;
            return ticks > 0 ? seconds * Math.clamp(kernelTicks / ticks, 0, 1) : 0;
        }
    }

    /// The processes at the last look.
    public List<Long> pids() {
        return tree.members().stream().map(member -> (long) member.pid()).toList();
    }

    /// What each thread was there for at the last look, by its id. The id of a process is that of
    /// its main thread.
    public Map<Integer, Job> jobs() {
        return Map.copyOf(jobByTid);
    }

    /// The threads that ran since the last look.
    public List<ThreadCpu> look() {
        tree.scan(roots);
        tree.read();
        jobByTid.clear();
        List<ThreadCpu> ran = new ArrayList<>();
        for (ProcessStat process : tree.members()) {
            look(process.pid(), ran);
        }
        return ran;
    }

    private void look(int pid, List<ThreadCpu> ran) {
        String folder = "/proc/" + pid + "/task";
        String command = ThreadScan.name(text, "/proc/" + pid);
        List<Named> threads = new ArrayList<>();
        boolean jvm = false;
        for (String name : ProcessTree.names(new File(folder))) {
            String thread = ThreadScan.name(text, folder + "/" + name);
            jvm |= thread.equals(JvmThreads.VM_THREAD);
            if (threads.size() < THREADS_MAX) {
                threads.add(new Named(ProcessTree.number(name), thread));
            }
        }
        Spent rest = ofProcess(pid);
        for (Named thread : threads) {
            Job job = job(thread.name(), jvm);
            jobByTid.put(thread.tid(), job);
            Spent spent = ofThread(folder + "/" + thread.tid(), thread.tid());
            rest = rest.since(spent);
            if (spent.seconds > 0) {
                ran.add(cpu(pid, command, thread.name(), job, spent));
            }
        }
        if (threads.size() < THREADS_MAX && rest.seconds >= ENDED_SECONDS_MIN) {
            ran.add(cpu(pid, command, ENDED, jvm ? Job.PROGRAM : Job.OTHER, rest));
        }
    }

    private record Named(int tid, String name) {}

    private static ThreadCpu cpu(int pid, String command, String thread, Job job, Spent spent) {
        return new ThreadCpu(pid, command, thread, job, spent.seconds, spent.kernelSeconds());
    }

    /// What a thread used since the last look. A thread that was not there began after it.
    private Spent ofThread(String folder, int tid) {
        if (!text.loadOnce(folder + "/schedstat")) {
            return Spent.NOTHING;
        }
        double seconds = text.number() / NANOS;
        if (!text.loadOnce(folder + "/stat")) {
            return Spent.NOTHING;
        }
        return since(spentByTid, tid, spent(seconds));
    }

    /// What a process used since the last look, with its threads that ended.
    private Spent ofProcess(int pid) {
        if (!text.loadOnce("/proc/" + pid + "/stat")) {
            return Spent.NOTHING;
        }
        Spent spent = spent(Double.NaN);
        double ticks = spent.userTicks + spent.kernelTicks;
        return since(
                spentByPid,
                pid,
                new Spent(ticks / HostUnits.TICKS_PER_SECOND, spent.userTicks, spent.kernelTicks));
    }

    private static Spent since(Map<Integer, Spent> known, int id, Spent now) {
        Spent before = known.put(id, now);
        return now.since(before == null ? Spent.NOTHING : before);
    }

    private Spent spent(double seconds) {
        text.skipPastLast(')');
        text.skipWords(11);
        return new Spent(seconds, text.number(), text.number());
    }

    private static Job job(String name, boolean jvm) {
        if (!jvm) {
            return Job.OTHER;
        }
        return switch (JvmThreads.jobOf(name)) {
            case COLLECTING, STOPPING -> Job.COLLECTOR;
            case COMPILING -> Job.COMPILER;
            case null -> Job.PROGRAM;
        };
    }

    @Override
    public void close() {
        tree.close();
    }
}
