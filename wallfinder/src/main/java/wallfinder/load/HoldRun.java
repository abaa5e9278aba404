package wallfinder.load;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.HoldSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.synthetic.Peers;

/// A run that holds connections. Its counts begin with the first connect.
public final class HoldRun implements AutoCloseable {
    /// On busy CPUs a thread closes twenty thousand sockets in a second or two.
    private static final Duration END_MAX = Duration.ofSeconds(60);

    private static final int FAULTS_MAX = 8;
    private static final double NANOS_PER_SECOND = 1e9;

    private final HoldPlan plan;
    private final HoldDriver.Control control = new HoldDriver.Control();
    private final List<HoldDriver> drivers = new ArrayList<>();
    private final DriverThreads driverThreads;
    private final LoadProgress progress;
    private final OwnMemory memory = new OwnMemory();
    private GarbageCollections collectionsAtStart = GarbageCollections.NONE;
    private long settledNanos;
    private long answeredWhenSettled;
    private boolean finished;

    private HoldRun(HoldPlan plan) {
        this.plan = plan;
        boolean ownTables = plan.link() == null && SocketBudget.of(plan).separateTables();
        if (ownTables) {
            SocketBudget.openShared();
        }
        long seed = new SecureRandom().nextLong();
        FailureKinds.load();
        for (int i = 0; i < plan.threads(); i++) {
            drivers.add(new HoldDriver(plan, control, i, seed, ownTables));
        }
        driverThreads = new DriverThreads(drivers, "wallfinder-hold-");
        progress = new LoadProgress(drivers);
    }

    /// Checks whether this host can hold all connections of a plan.
    ///
    /// @throws EnvironmentException if it has too few descriptors or ports
    public static void check(HoldPlan plan) {
        if (plan.link() == null) {
            SocketBudget.of(plan).check();
        } else {
            plan.checkTuples();
        }
    }

    /// The fewest threads with enough descriptors for the connections.
    public static int threadsNeeded(int connections) {
        return SocketBudget.threadsNeeded(connections);
    }

    /// Prepares a run, so that [#progress] can be read before the first connect.
    public static HoldRun prepare(HoldPlan plan) {
        return new HoldRun(plan);
    }

    /// Begins to connect.
    ///
    /// @throws EnvironmentException if the host prevents it
    public void begin() {
        try {
            driverThreads.start();
            collectionsAtStart = GarbageCollections.read();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /// The counts so far. Always the same object; closing this run closes it.
    public LoadProgress progress() {
        return progress;
    }

    /// A reader of the memory of this process. The caller closes it.
    public static Reader memory() {
        return new OwnMemory();
    }

    /// The resident memory of this process.
    public long rssBytes() {
        return memory.rssBytes();
    }

    /// Whether every connection has been established and has had its first answer, or has failed.
    public boolean settled() {
        boolean all = drivers.stream().allMatch(d -> d.settled);
        if (all && settledNanos == 0) {
            settledNanos = System.nanoTime();
            answeredWhenSettled = progress.requests();
        }
        return all;
    }

    /// Connections that have had their first answer.
    public long firstAnswers() {
        return sum(d -> d.firstAnswers);
    }

    /// Whether the run should end because a connection or one of the threads has failed.
    public boolean over() {
        boolean stops = plan.spec().onError() == HoldSpec.OnError.STOP;
        return drivers.stream().anyMatch(d -> d.state().failure != null || (stops && d.faulted));
    }

    /// Stops sending, waits for outstanding answers, counts the kernel's sockets while all
    /// connections are idle, and returns the outcome. [#close] closes the connections: a million of
    /// them take many seconds.
    ///
    /// @param drain the longest wait
    /// @param counting asks the kernel
    public LoadOutcome.Held finish(Duration drain, Supplier<List<LoadOutcome.Sockets>> counting) {
        settled();
        long rssBytes = rssBytes();
        finished = true;
        control.stopDeadlineNanos = System.nanoTime() + drain.toNanos();
        control.stopping = true;
        boolean still =
                DriverThreads.await(
                        drain.plus(END_MAX), () -> drivers.stream().allMatch(HoldDriver::still));
        if (!still) {
            end();
        }
        driverThreads.throwFailure();
        return outcome(rssBytes, still ? counting.get() : List.of());
    }

    private void end() {
        control.closing.countDown();
        driverThreads.awaitEnd(END_MAX);
    }

    private LoadOutcome.Held outcome(long rssBytes, List<LoadOutcome.Sockets> sockets) {
        long sent = driverThreads.sum(tally -> tally.begun);
        long answered = driverThreads.sum(tally -> tally.answered);
        long failed = driverThreads.sum(tally -> tally.failed);
        return new LoadOutcome.Held(
                new LoadOutcome.Engine(
                        plan.link() == null ? EngineChoice.EPOLL.word() : SyntheticHolder.WORD,
                        sum(d -> d.timesWhole().cpuNanos()) / NANOS_PER_SECOND,
                        generator()),
                plan.spec().connections(),
                loop(),
                (stopNanos() - startNanos()) / NANOS_PER_SECOND,
                new ExchangeCounts(
                        sent,
                        answered,
                        sent - answered - failed,
                        driverThreads.sum(tally -> tally.bytes),
                        driverThreads.sum(tally -> tally.opened)),
                driverThreads.failures(),
                driverThreads.times(),
                hold(answered, rssBytes, sockets));
    }

    private LoadOutcome.Hold hold(long answered, long rssBytes, List<LoadOutcome.Sockets> sockets) {
        HoldSpec.Messages messages = plan.spec().messages();
        boolean asks = messages.kind() == HoldSpec.Kind.ECHO;
        Histogram firstAnswers = Tally.histogram();
        drivers.forEach(d -> firstAnswers.add(d.held.firstAnswerNanos));
        double opening = settledNanos == 0 ? Double.NaN : settledNanos - startNanos();
        return new LoadOutcome.Hold(
                messages.kind().word(),
                asks ? messages.bytes() : 0,
                asks ? messages.interval().toNanos() / NANOS_PER_SECOND : 0,
                fates(),
                sum(d -> d.held.reopened),
                opening / NANOS_PER_SECOND,
                settledNanos == 0 ? 0 : answered - answeredWhenSettled,
                settledNanos == 0 ? 0 : (stopNanos() - settledNanos) / NANOS_PER_SECOND,
                sum(d -> d.timesSettled().cpuNanos()) / NANOS_PER_SECOND,
                firstAnswers,
                plan.link() == null ? HeldConnections.BYTES : Peers.BYTES,
                rssBytes,
                drivers.stream().flatMap(d -> d.held.faults.stream()).limit(FAULTS_MAX).toList(),
                sockets);
    }

    /// Each connection has one fate. Any other number is a defect.
    private SortedMap<String, Long> fates() {
        SortedMap<String, Long> fates = new TreeMap<>();
        drivers.forEach(d -> d.held.fates.forEach((word, n) -> fates.merge(word, n, Long::sum)));
        long all = fates.values().stream().mapToLong(Long::longValue).sum();
        if (all != plan.spec().connections()) {
            throw new IllegalStateException(
                    "%d connections, but %s".formatted(plan.spec().connections(), fates));
        }
        return fates;
    }

    private long startNanos() {
        return drivers.stream().mapToLong(d -> d.startNanos).min().orElseThrow();
    }

    private long stopNanos() {
        return drivers.stream().mapToLong(d -> d.stopNanos).max().orElseThrow();
    }

    private long sum(ToLongFunction<HoldDriver> figure) {
        return drivers.stream().mapToLong(figure).sum();
    }

    private LoadOutcome.Generator generator() {
        ThreadTimes times =
                new ThreadTimes(sum(d -> d.timesHeld().cpuNanos()), waitingForOthersNanos());
        long nanos = Math.max(1, sum(HoldDriver::heldNanos));
        return driverThreads.generator(times, nanos, collectionsAtStart);
    }

    /// How long threads were runnable without a CPU. If there are more threads than CPUs, because
    /// of their descriptors, each thread also waits for its siblings, for at most their CPU time.
    /// That part is not CPU taken by others. The lateness of messages is recorded separately.
    private long waitingForOthersNanos() {
        int cpus = plan.engineThreads().cpus().length;
        long waiting = 0;
        for (int i = 0; i < drivers.size(); i++) {
            long siblings = 0;
            for (int j = cpus == 0 ? drivers.size() : i % cpus; j < drivers.size(); j += cpus) {
                siblings += j == i ? 0 : drivers.get(j).timesHeld().cpuNanos();
            }
            waiting += Math.max(0, drivers.get(i).timesHeld().waitingNanos() - siblings);
        }
        return waiting;
    }

    /// The clock decides when messages are due, not the answers.
    private LoadOutcome.Loop loop() {
        return plan.spec().arrival() instanceof Arrival.Open open
                ? new LoadOutcome.Loop.Open(
                        open,
                        driverThreads.sum(tally -> tally.waited),
                        driverThreads.merged(tally -> tally.lateNanos),
                        driverThreads.merged(tally -> tally.gapNanos))
                : new LoadOutcome.Loop.Closed();
    }

    /// Closes the connections. Stops at once if the run is not finished.
    @Override
    public void close() {
        if (!finished) {
            finished = true;
            control.stopDeadlineNanos = System.nanoTime();
            control.stopping = true;
        }
        end();
        progress.close();
        memory.close();
    }
}
