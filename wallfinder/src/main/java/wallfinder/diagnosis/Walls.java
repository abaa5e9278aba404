package wallfinder.diagnosis;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;

/// All walls, in the order in which they are named.
public final class Walls {
    /// The first wall that binds is the headline, unless it is slighter than another one
    /// ([Diagnosis]).
    public static final List<Wall> ALL =
            List.of(
                    // The generator's limit spoils the figures of all other walls.
                    new LoadGenerator(),
                    // This cause goes before the ports that closed connections used up.
                    new ConnectionChurn(),
                    new EphemeralPorts(),
                    // A resource ran out, and the kernel counted it. A setting moves it.
                    new FileDescriptors(),
                    new MemoryLimit(),
                    new ThreadLimit(),
                    new ConntrackTable(),
                    new TcpMemory(),
                    new SoftnetBacklog(),
                    new Bandwidth(),
                    new AcceptQueue(),
                    new SynQueue(),
                    new TimeWaitBuckets(),
                    new PacketLoss(),
                    new DelayedAck(),
                    new TcpWindow(),
                    // The program did not run. Other walls weaken these signs and never strengthen
                    // them.
                    new PageCache(),
                    new Swap(),
                    new NameLookup(),
                    new CpuQuota(),
                    new SoftirqCpu(),
                    new Heap(),
                    new Gc(),
                    new CarrierPinning(),
                    new LoadShedding(),
                    // The time of an answer grew there.
                    new BlockedOutput(),
                    new DiskIo(),
                    new SlowDependency(),
                    new LockContention(),
                    // Only timing proves these: they bind where no other wall explains the wait.
                    new ClientConnections(),
                    new ServerConcurrency(),
                    // The CPU was full, but not of the service's work.
                    new CpuSteal(),
                    // The CPU was full of one kind of work.
                    new TlsHandshakes(),
                    // Every service that nothing else stops ends at the CPU.
                    new Cpu());

    /// A wall whose signs another wall explains.
    ///
    /// @param when whether this judgement of the cause explains the effect
    /// @param because the reason, part of a sentence
    record Cause(WallId effect, WallId cause, Predicate<Judgement.Binds> when, String because) {
        private static Cause of(WallId effect, WallId cause, String because) {
            return new Cause(effect, cause, _ -> true, because);
        }
    }

    /// The first of these causes that binds explains the effect.
    static final List<Cause> CAUSES =
            List.of(
                    descriptors(WallId.ACCEPT_QUEUE, "there was no descriptor to accept with"),
                    descriptors(
                            WallId.CPU, "requests without a descriptor would fail with any CPU"),
                    Cause.of(WallId.CPU, WallId.TLS_HANDSHAKES, "TLS handshakes take most of it"),
                    Cause.of(
                            WallId.PACKET_LOSS,
                            WallId.SOFTNET_BACKLOG,
                            "a CPU dropped received packets"),
                    Cause.of(
                            WallId.PACKET_LOSS,
                            WallId.CONNTRACK_TABLE,
                            "the table of tracked connections was full"),
                    Cause.of(
                            WallId.PACKET_LOSS,
                            WallId.BANDWIDTH,
                            "more was sent than a link may carry"),
                    Cause.of(WallId.PACKET_LOSS, WallId.TCP_MEMORY, "the sockets lacked memory"),
                    Cause.of(
                            WallId.TCP_WINDOW,
                            WallId.BANDWIDTH,
                            "more was sent than a link may carry"),
                    Cause.of(WallId.TCP_WINDOW, WallId.TCP_MEMORY, "the sockets lacked memory"),
                    Cause.of(WallId.GC, WallId.HEAP, "the heap is full"),
                    descriptors(
                            WallId.SERVER_CONCURRENCY,
                            "the time was lost waiting for a descriptor"),
                    new Cause(
                            WallId.SERVER_CONCURRENCY,
                            WallId.ACCEPT_QUEUE,
                            binds -> binds.harm() != Harm.LATENCY,
                            "the time was lost before the connections were accepted"),
                    descriptors(
                            WallId.SLOW_DEPENDENCY, "the time was lost waiting for a descriptor"),
                    concurrency(
                            WallId.THREAD_LIMIT, "the time was lost because threads were missing"),
                    concurrency(
                            WallId.PAGE_CACHE, "the time was lost reading pages of files again"),
                    concurrency(WallId.SWAP, "the time was lost reading pages from swap"),
                    concurrency(
                            WallId.CONNTRACK_TABLE,
                            "the time was lost before the connections were let through"),
                    concurrency(WallId.SOFTNET_BACKLOG, "the time was lost to retransmits"),
                    concurrency(
                            WallId.SOFTIRQ_CPU,
                            "the time was lost before a CPU had received the packets"),
                    concurrency(WallId.BANDWIDTH, "the time was lost waiting for the network link"),
                    new Cause(
                            WallId.SERVER_CONCURRENCY,
                            WallId.PACKET_LOSS,
                            binds -> binds.harm() != Harm.LATENCY,
                            "the time was lost to retransmits"),
                    concurrency(
                            WallId.TCP_MEMORY,
                            "the time was lost because the sockets lacked memory"),
                    concurrency(WallId.DELAYED_ACK, "the answers waited for acknowledgements"),
                    concurrency(WallId.TCP_WINDOW, "the answers waited for TCP to send them"),
                    concurrency(WallId.NAME_LOOKUP, "the time was lost looking up names"),
                    concurrency(
                            WallId.SYN_QUEUE, "the time was lost before the connections were made"),
                    concurrency(
                            WallId.CARRIER_PINNING,
                            "the virtual threads kept their carriers while they waited"),
                    Cause.of(
                            WallId.DISK_IO,
                            WallId.PAGE_CACHE,
                            "the memory is too short for the files"),
                    Cause.of(WallId.DISK_IO, WallId.SWAP, "pages came back from swap"),
                    Cause.of(WallId.GC, WallId.SWAP, "the heap came back from swap"),
                    concurrency(WallId.HEAP, "the time was lost to a garbage collector"),
                    concurrency(
                            WallId.BLOCKED_OUTPUT,
                            "the workers waited for the reader of their output"),
                    concurrency(WallId.DISK_IO, "the workers waited for the disk"),
                    concurrency(WallId.SLOW_DEPENDENCY, "the workers waited for another service"),
                    concurrency(WallId.LOCK_CONTENTION, "the workers waited for a lock"),
                    lock(WallId.BLOCKED_OUTPUT, "waits for the reader of its output"),
                    lock(WallId.DISK_IO, "waits for the disk"),
                    lock(WallId.SLOW_DEPENDENCY, "waits for another service"),
                    lock(WallId.PAGE_CACHE, "reads pages of files again"),
                    lock(WallId.SWAP, "waits for pages from swap"),
                    lock(WallId.NAME_LOOKUP, "looks up a name"),
                    Cause.of(
                            WallId.LOCK_CONTENTION,
                            WallId.HEAP,
                            "a garbage collector stopped the threads"),
                    Cause.of(
                            WallId.LOCK_CONTENTION,
                            WallId.GC,
                            "a garbage collector stopped the threads"),
                    new Cause(
                            WallId.SERVER_CONCURRENCY,
                            WallId.GC,
                            binds -> onServer(binds) && binds.harm() == Harm.THROUGHPUT,
                            "the time was lost to a garbage collector"));

    private static final Map<WallId, Wall> BY_ID =
            ALL.stream().collect(Collectors.toMap(Wall::id, Function.identity()));

    private Walls() {}

    private static Cause descriptors(WallId effect, String because) {
        return new Cause(effect, WallId.FILE_DESCRIPTORS, Walls::onServer, because);
    }

    private static Cause concurrency(WallId cause, String because) {
        return Cause.of(WallId.SERVER_CONCURRENCY, cause, because);
    }

    private static Cause lock(WallId cause, String because) {
        return Cause.of(WallId.LOCK_CONTENTION, cause, "the thread that has the lock " + because);
    }

    private static boolean onServer(Judgement.Binds binds) {
        return binds.end() == End.SERVER;
    }

    static Wall of(WallId id) {
        Wall wall = BY_ID.get(id);
        if (wall == null) {
            throw new IllegalStateException(id + " has no wall");
        }
        return wall;
    }
}
