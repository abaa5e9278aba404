package wallfinder.sampling;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Where the threads of a service sleep while they have no work.
///
/// A worker without work often sleeps in the same system call as one that waits for a lock in the
/// middle of a request. The depth of its stack distinguishes them: a thread that waits for work
/// sleeps where it slept without load, and a thread with a request sleeps deeper.
///
/// Some pools of Java let a thread wait for work with a time limit while they have more threads
/// than they keep, and without one otherwise. So in a JVM the time limit says nothing, and the
/// depth decides.
final class IdlePlaces {
    /// A compiled method has another frame than an interpreted one, so the same place moves: by up
    /// to 320 bytes in a pool of HotSpot. A handler of the JDK's HTTP server that waits for a lock
    /// sleeps 928 bytes deeper. A handler less deep than this looks like a thread without work.
    private static final long SAME_PLACE_BYTES = 512;

    /// A condition of the C library has two futexes that it uses in turns.
    private static final long SAME_FUTEX_BYTES = 64;

    private final KernelText text = new KernelText();
    private final Map<Worker, @Nullable ThreadPlace> first = new HashMap<>();
    private final Map<Worker, Home> homes = new HashMap<>();
    private final Map<HomeOfKind, Long> depths = new HashMap<>();
    private final Map<Kind, Integer> sizes = new HashMap<>();
    private final Set<Long> futexes = new HashSet<>();
    private final Map<Integer, StackTops> stacks = new HashMap<>();
    private final Map<Integer, Long> firstStacks = new HashMap<>();
    private final IntPredicate jvm;

    /// @param jvm whether the process with this number is a JVM
    IdlePlaces(IntPredicate jvm) {
        this.jvm = jvm;
    }

    /// The threads of a process that have the same name but for numbers: a pool, for instance. Or
    /// those of all processes that were forked from one another, such as the workers of a server.
    ///
    /// @param process its number, or where the first stack of all of them begins
    private record Kind(long process, String name) {}

    /// A thread.
    ///
    /// @param name without numbers
    record Worker(int pid, String name, int tid) {
        private Kind kind() {
            return new Kind(pid, name);
        }
    }

    private record Home(ThreadPlace.How how, long depth) {}

    private record HomeOfKind(Kind kind, ThreadPlace.How how) {}

    /// The first look without load.
    void begin(Iterable<Worker> workers) {
        first.clear();
        workers.forEach(worker -> first.put(worker, place(worker)));
    }

    /// The second look. A thread that still sleeps where it slept at the first waits for work
    /// there. What an earlier load left to do is over soon.
    void end(Iterable<Worker> workers) {
        sizes.clear();
        for (Worker worker : workers) {
            Kind family = family(worker);
            sizes.merge(worker.kind(), 1, Integer::sum);
            sizes.merge(family, 1, Integer::sum);
            ThreadPlace place = place(worker);
            if (place != null && place.equals(first.get(worker))) {
                long depth = depth(worker, place);
                ThreadPlace.How how = how(worker, place);
                homes.put(worker, new Home(how, depth));
                depths.merge(new HomeOfKind(worker.kind(), how), depth, Math::min);
                depths.merge(new HomeOfKind(family, how), depth, Math::min);
                futexes.add(place.argument());
            }
        }
        first.clear();
    }

    private @Nullable ThreadPlace place(Worker worker) {
        boolean loaded = text.loadOnce(ThreadPlace.file(worker.pid(), worker.tid));
        return loaded ? ThreadPlace.of(text) : null;
    }

    /// A thread without a place of its own, because it had work at both looks or started later,
    /// waits for work where the shallowest of its kind does. Of a kind of thread that was not there
    /// without load, nothing is known.
    boolean has(Worker worker, ThreadPlace place) {
        Kind kind = known(worker);
        if (kind == null) {
            return true;
        }
        Home own = homes.get(worker);
        ThreadPlace.How how = how(worker, place);
        Long home =
                own != null && isAlike(own.how, how, kind)
                        ? Long.valueOf(own.depth)
                        : depths.get(new HomeOfKind(kind, how));
        return home != null && depth(worker, place) <= home + SAME_PLACE_BYTES;
    }

    private @Nullable Kind known(Worker worker) {
        Kind own = worker.kind();
        if (sizes.containsKey(own)) {
            return own;
        }
        Kind family = family(worker);
        return sizes.containsKey(family) ? family : null;
    }

    private Kind family(Worker worker) {
        long stack = firstStacks.computeIfAbsent(worker.pid, pid -> ProcessStat.stackOf(pid, text));
        return stack == 0 ? worker.kind() : new Kind(stack, worker.name);
    }

    private ThreadPlace.How how(Worker worker, ThreadPlace place) {
        return jvm.test(worker.pid())
                ? new ThreadPlace.How(place.how().call(), false)
                : place.how();
    }

    /// The only thread of its kind may be a timer: it waits with a time limit if something is to be
    /// done later, and without one otherwise.
    private boolean isAlike(ThreadPlace.How home, ThreadPlace.How now, Kind kind) {
        return home.equals(now) || (home.call() == now.call() && sizes.getOrDefault(kind, 0) == 1);
    }

    /// Whether threads waited for work in this futex.
    boolean hasFutex(long address) {
        return futexes.stream().anyMatch(idle -> Math.abs(idle - address) <= SAME_FUTEX_BYTES);
    }

    /// Whether threads of its kind were there without load.
    boolean knows(Worker worker) {
        return known(worker) != null;
    }

    private long depth(Worker worker, ThreadPlace place) {
        return stacks.computeIfAbsent(worker.pid(), pid -> new StackTops(pid, text))
                .depth(place.stackPointer());
    }

    /// Threads and processes may have started since the stacks were looked up.
    void forgetStacks() {
        stacks.clear();
        firstStacks.clear();
    }
}
