package wallfinder.sampling;

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import wallfinder.linux.HostUnits;
import wallfinder.linux.KernelRead;

/// The unix sockets from which threads of a service wait for data, by how many threads do.
///
/// Such a thread has asked the other end for something, unless it waits there without load, too. So
/// nothing counts before [#endUnloaded]. To look at a thread takes 5 to 20 us. So of many threads
/// some are taken at random, and stand for the others.
final class UnixWaiters {
    private static final int THREADS_MAX = 64;

    /// read, readv, recvfrom, recvmsg
    private static final Set<Integer> RECEIVING =
            HostUnits.X86 ? Set.of(0, 19, 45, 47) : Set.of(63, 65, 207, 212);

    /// poll, ppoll. A driver of a database polls one descriptor, the first.
    private static final Set<Integer> POLLING = HostUnits.X86 ? Set.of(7, 271) : Set.of(73);

    private final KernelText text = new KernelText();
    private final SplittableRandom random = new SplittableRandom(1);
    private Set<Long> first = Set.of();
    private Set<Long> idle = Set.of();
    private boolean looked;

    private record Worker(int pid, int tid) {}

    /// The first look without load.
    void beginUnloaded(Iterable<ProcessStat> processes) {
        first = at(all(processes)).keySet();
    }

    /// The second look. A thread that waits at both waits for work.
    void endUnloaded(Iterable<ProcessStat> processes) {
        idle = new HashSet<>(at(all(processes)).keySet());
        idle.retainAll(first);
        looked = true;
    }

    /// @return the number of threads, by the number of the socket
    Map<Long, Double> look(Iterable<ProcessStat> processes) {
        if (!looked) {
            return Map.of();
        }
        List<Worker> all = all(processes);
        List<Worker> some = ThreadWaits.some(all, THREADS_MAX, random);
        Map<Long, Double> waiting = at(some);
        waiting.keySet().removeAll(idle);
        waiting.replaceAll((_, threads) -> threads * all.size() / some.size());
        return waiting;
    }

    private static List<Worker> all(Iterable<ProcessStat> processes) {
        List<Worker> all = new ArrayList<>();
        for (ProcessStat process : processes) {
            for (String tid : ProcessTree.names(new File("/proc/" + process.pid() + "/task"))) {
                if (all.size() < ThreadScan.THREADS_MAX) {
                    all.add(new Worker(process.pid(), ProcessTree.number(tid)));
                }
            }
        }
        return all;
    }

    private Map<Long, Double> at(List<Worker> workers) {
        Map<Long, Double> threads = new HashMap<>();
        for (Worker worker : workers) {
            long socket = socketOf(worker);
            if (socket >= 0) {
                threads.merge(socket, 1.0, Double::sum);
            }
        }
        return threads;
    }

    /// The socket that the thread waits for; negative if it waits for none.
    private long socketOf(Worker worker) {
        boolean loaded = text.loadOnce(ThreadPlace.file(worker.pid, worker.tid));
        ThreadPlace place = loaded ? ThreadPlace.of(text) : null;
        if (place == null) {
            return -1;
        }
        int call = place.how().call();
        if (RECEIVING.contains(call)) {
            return OwnSockets.inode(ThreadPlace.target(worker.pid, place.argument()));
        }
        return POLLING.contains(call)
                ? OwnSockets.inode(ThreadPlace.target(worker.pid, polled(worker.pid, place)))
                : -1;
    }

    /// The first descriptor of `struct pollfd`, which is in the memory of the process; negative if
    /// it cannot be read.
    private static long polled(int pid, ThreadPlace place) {
        byte[] descriptor = new byte[Integer.BYTES];
        int memory = KernelRead.open("/proc/" + pid + "/mem");
        if (memory < 0) {
            return -1;
        }
        try {
            int got = KernelRead.read(memory, place.argument(), descriptor, 0);
            return got == descriptor.length
                    ? ByteBuffer.wrap(descriptor).order(ByteOrder.nativeOrder()).getInt()
                    : -1;
        } finally {
            KernelRead.close(memory);
        }
    }
}
