package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// The CPU time of each thread of some processes between two looks, from
/// `/proc/PID/task/TID/schedstat`, and the part of it in the kernel, from
/// `/proc/PID/task/TID/stat`.
///
/// The kernel counts the time of the mode that a tick of its clock finds. So the part in the kernel
/// is a sample, and only exact over many ticks. The time of a thread that ended between two looks
/// is missing.
public final class ThreadTimes implements AutoCloseable {
    private static final int THREADS_MAX = 8_192;
    private static final double NANOS = 1e9;

    private final long[] roots;
    private final ProcessTree tree = new ProcessTree();
    private final KernelText text = new KernelText();
    private final Map<Integer, Spent> spentByTid = new HashMap<>();

    /// @param roots the processes whose descendants count as well
    public ThreadTimes(long... roots) {
        this.roots = roots.clone();
        look();
    }

    private record Spent(double seconds, double userTicks, double kernelTicks) {}

    /// The processes at the last look.
    public List<Long> pids() {
        return tree.members().stream().map(member -> (long) member.pid()).toList();
    }

    /// The threads that ran since the last look.
    public List<ThreadCpu> look() {
        tree.scan(roots);
        tree.read();
        List<ThreadCpu> ran = new ArrayList<>();
        for (ProcessStat process : tree.members()) {
            look(process.pid(), ran);
        }
        return ran;
    }

    private void look(int pid, List<ThreadCpu> ran) {
        String folder = "/proc/" + pid + "/task";
        String process = ThreadScan.name(text, "/proc/" + pid);
        List<Named> threads = new ArrayList<>();
        boolean jvm = false;
        for (String name : ProcessTree.names(new File(folder))) {
            String thread = ThreadScan.name(text, folder + "/" + name);
            jvm |= thread.equals(JvmThreads.VM_THREAD);
            if (threads.size() < THREADS_MAX) {
                threads.add(new Named(ProcessTree.number(name), thread));
            }
        }
        for (Named thread : threads) {
            add(pid, process, thread, jvm, ran);
        }
    }

    private record Named(int tid, String name) {}

    private void add(int pid, String process, Named thread, boolean jvm, List<ThreadCpu> ran) {
        String folder = "/proc/" + pid + "/task";
        Spent now = spent(folder + "/" + thread.tid());
        if (now == null) {
            return;
        }
        Spent before = spentByTid.put(thread.tid(), now);
        Spent start = before == null ? new Spent(0, 0, 0) : before;
        double seconds = now.seconds - start.seconds;
        double kernel = now.kernelTicks - start.kernelTicks;
        double ticks = kernel + now.userTicks - start.userTicks;
        if (seconds > 0) {
            // Without a tick, the thread ran for less than a hundredth of a second.
            double kernelSeconds = ticks > 0 ? seconds * kernel / ticks : 0;
            ran.add(
                    new ThreadCpu(
                            pid,
                            process,
                            thread.name(),
                            job(thread.name(), jvm),
                            seconds,
                            kernelSeconds));
        }
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

    private @Nullable Spent spent(String folder) {
        if (!text.loadOnce(folder + "/schedstat")) {
            return null;
        }
        double seconds = text.number() / NANOS;
        if (!text.loadOnce(folder + "/stat")) {
            return null;
        }
        text.skipPastLast(')');
        text.skipWords(11);
        return new Spent(seconds, text.number(), text.number());
    }

    @Override
    public void close() {
        tree.close();
    }
}
