package wallfinder.sampling;

import java.io.File;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import wallfinder.linux.CpuList;
import wallfinder.linux.OnlineCpus;
import wallfinder.linux.SockDiag;

/// The online CPUs that a service may run on. Each thread has a mask of its own
/// (`sched_setaffinity(2)`), and programs such as HAProxy pin each thread to another CPU.
public final class ServiceCpus {
    /// The threads of a service whose masks are read. The first thread of each process comes on
    /// top.
    private static final int THREADS_MAX = 16_384;

    private static final byte[] CPUS = KernelText.key("Cpus_allowed_list:");

    private final KernelText text = new KernelText();
    private final BitSet online = OnlineCpus.read();
    private int threadsLeft = THREADS_MAX;

    private ServiceCpus() {}

    /// The CPUs of some processes and their descendants. Processes that do none of the work do not
    /// count: the pause process of a pod may run on all CPUs of the node. Empty if all have ended.
    ///
    /// @param diag opened in their network namespace
    public static BitSet of(SockDiag diag, long... roots) {
        ServiceCpus reading = new ServiceCpus();
        Map<Integer, BitSet> cpusOf = new HashMap<>();
        try (ProcessTree tree = new ProcessTree()) {
            tree.scan(roots);
            for (ProcessStat member : tree.members()) {
                BitSet cpus = reading.ofProcess(member.pid());
                if (!member.dead() && !cpus.isEmpty()) {
                    cpusOf.put(member.pid(), cpus);
                }
            }
            if (Set.copyOf(cpusOf.values()).size() > 1) {
                Set<Integer> workers = WorkingProcesses.among(tree.members(), diag);
                if (cpusOf.keySet().stream().anyMatch(workers::contains)) {
                    cpusOf.keySet().retainAll(workers);
                }
            }
        }
        return union(cpusOf.values());
    }

    /// The CPUs of some processes. Empty if all have ended.
    static BitSet ofProcesses(List<Integer> pids) {
        ServiceCpus reading = new ServiceCpus();
        return union(pids.stream().map(reading::ofProcess).toList());
    }

    private static BitSet union(Collection<BitSet> masks) {
        BitSet all = new BitSet();
        masks.forEach(all::or);
        return OnlineCpus.among(all);
    }

    /// Most services pin no thread. Then the first thread has all online CPUs, and the masks of the
    /// others need no reading.
    private BitSet ofProcess(int pid) {
        BitSet cpus = new BitSet();
        addThread("/proc/" + pid + "/status", cpus);
        if (hasAll(cpus)) {
            return cpus;
        }
        for (String thread : ProcessTree.names(new File("/proc/" + pid + "/task"))) {
            if (threadsLeft == 0 || hasAll(cpus)) {
                break;
            }
            threadsLeft--;
            addThread("/proc/" + pid + "/task/" + thread + "/status", cpus);
        }
        return cpus;
    }

    private boolean hasAll(BitSet cpus) {
        BitSet missing = (BitSet) online.clone();
        missing.andNot(cpus);
        return missing.isEmpty() && !online.isEmpty();
    }

    private void addThread(String status, BitSet cpus) {
        if (text.loadOnce(status) && text.seek(CPUS)) {
            cpus.or(CpuList.parse(text.word()));
        }
    }
}
