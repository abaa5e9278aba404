package wallfinder.sampling;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.Bound.Setter;
import wallfinder.observation.End;

/// The limits of a service's processes, read from outside.
public final class ProcessBounds {
    private static final LimitOrigin ORIGIN = new LimitOrigin(Path.of("/"));
    private static final byte[] UID = KernelText.key("Uid:");
    private static final byte[] THREADS = KernelText.key("Threads:");

    private static final int PROCESSES_MAX = 65_536;

    private final End end;
    private final KernelText text = new KernelText();

    private ProcessBounds(End end) {
        this.end = end;
    }

    /// @param acceptors the processes that accept connections and share them
    /// @param memoryBytes the memory that the process sees, for a JVM
    public static List<Bound> of(End end, List<Integer> acceptors, double memoryBytes) {
        if (acceptors.isEmpty()) {
            return List.of();
        }
        ProcessBounds reading = new ProcessBounds(end);
        int pid = acceptors.getFirst();
        List<Bound> bounds = new ArrayList<>();
        reading.descriptors(acceptors, bounds);
        reading.userTasks(pid, bounds);
        reading.cpus(acceptors, bounds);
        JvmHeap.of(pid, memoryBytes)
                .ifPresent(heap ->
                        bounds.add(
                                new Bound(
                                        Kind.HEAP,
                                        end,
                                        heap.bytes(),
                                        Double.NaN,
                                        0,
                                        new Setter(heap.setBy(), List.of("-Xmx{to}")),
                                        heap.source())));
        return bounds;
    }

    private void descriptors(List<Integer> acceptors, List<Bound> bounds) {
        double limit = 0;
        double open = 0;
        for (int pid : acceptors) {
            limit += ProcessLimits.descriptors(pid, text);
            open += Descriptors.count(pid);
        }
        if (Double.isNaN(limit)) {
            return;
        }
        int first = acceptors.getFirst();
        Setter origin =
                ORIGIN.ofProcess(
                        first,
                        "LimitNOFILE",
                        "nofile",
                        ProcessLimits.descriptors(first, text),
                        other -> ProcessLimits.descriptors(other, text));
        List<String> commands = new ArrayList<>(origin.commands());
        HostBounds.number("fs.nr_open")
                .ifPresent(most ->
                        commands.add(
                                "(a process may have %.0f at most: fs.nr_open)".formatted(most)));
        Setter setter = new Setter(origin.origin(), commands);
        String source = "/proc/" + first + "/limits";
        bounds.add(
                new Bound(
                        Kind.PROCESS_DESCRIPTORS,
                        end,
                        limit,
                        open,
                        0,
                        setter,
                        acceptors.size() == 1
                                ? source
                                : source + " and of " + (acceptors.size() - 1) + " more"));
    }

    /// The limit does not apply to root (`copy_process`, kernel/fork.c).
    private void userTasks(int pid, List<Bound> bounds) {
        double uid = status(pid, UID);
        double limit = ProcessLimits.tasks(pid, text);
        if (uid == 0 || Double.isNaN(limit)) {
            return;
        }
        double used = 0;
        String[] names = ProcessTree.names(new File("/proc"));
        for (int i = 0; i < Math.min(names.length, PROCESSES_MAX); i++) {
            int other = ProcessTree.number(names[i]);
            if (other > 0 && status(other, UID) == uid) {
                double threads = status(other, THREADS);
                used += Double.isNaN(threads) ? 0 : threads;
            }
        }
        bounds.add(
                new Bound(
                        Kind.USER_TASKS,
                        end,
                        limit,
                        used,
                        0,
                        ORIGIN.ofProcess(
                                pid,
                                "LimitNPROC",
                                "nproc",
                                limit,
                                other -> ProcessLimits.tasks(other, text)),
                        "/proc/" + pid + "/limits"));
    }

    private void cpus(List<Integer> acceptors, List<Bound> bounds) {
        int count = ServiceCpus.ofProcesses(acceptors).cardinality();
        if (count == 0) {
            return;
        }
        bounds.add(
                new Bound(
                        Kind.CPUS,
                        end,
                        count,
                        Double.NaN,
                        0,
                        new Setter(
                                "the host, or the CPU set of the service",
                                List.of("more CPUs, or less work for a request")),
                        "/proc/" + acceptors.getFirst() + "/task/*/status"));
    }

    private double status(int pid, byte[] key) {
        return find(pid, key) ? text.number() : Double.NaN;
    }

    private boolean find(int pid, byte[] key) {
        return text.loadOnce("/proc/" + pid + "/status") && text.seek(key);
    }
}
