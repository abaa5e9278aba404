package wallfinder.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.RequestSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.LoadOutcome;

/// A load that is being driven. All is counted from the start on, or from the last [#mark].
///
/// Of the requests begun in the measured time, each is answered, failed, or in flight at its end;
/// those under way at the mark count as begun then.
public final class LoadRun implements AutoCloseable {
    private static final Duration READY_MAX = Duration.ofSeconds(20);
    private static final Duration MARK_MAX = Duration.ofSeconds(5);
    private static final Duration END_MAX = Duration.ofSeconds(10);
    private static final Duration FIRST_ANSWER_MAX = Duration.ofMillis(50);
    private static final long POLL_NANOS = 200_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final LoadPlan plan;
    private final EngineSelection selection;
    private final Driver.Control control = new Driver.Control();
    private final List<Driver> drivers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LoadProgress progress;
    private final RequestTable table;
    private GarbageCollections collectionsAtMark = GarbageCollections.NONE;
    private boolean finished;

    private LoadRun(LoadPlan plan, long requestsMax) {
        this.plan = plan;
        table = new RequestTable(plan);
        selection = EngineSelection.of(plan.engineThreads().engine());
        boolean ownTables = Room.of(plan).tablesOfTheirOwn();
        if (ownTables) {
            Room.openShared();
        }
        for (int i = 0; i < plan.threads(); i++) {
            Driver driver =
                    new Driver(
                            plan,
                            selection,
                            control,
                            table,
                            ownTables,
                            i,
                            (int) share(plan.connections(), i),
                            requestsMax == Long.MAX_VALUE ? requestsMax : share(requestsMax, i));
            drivers.add(driver);
            threads.add(
                    Thread.ofPlatform().daemon().name("wallfinder-load-" + i).unstarted(driver));
        }
        progress = new LoadProgress(drivers);
    }

    private long share(long all, int thread) {
        int count = plan.threads();
        return all / count + (thread < all % count ? 1 : 0);
    }

    /// Whether this host can hold all connections of a plan. A run that is started all the same
    /// counts what it could not open.
    ///
    /// @throws EnvironmentException if the connections outnumber the descriptors or the ports
    public static void check(LoadPlan plan) {
        Room.of(plan).check();
    }

    /// The most connections that so many engine threads have descriptors for.
    public static long connectionsMax(int threads) {
        return Room.connectionsMax(threads);
    }

    /// Starts to drive.
    ///
    /// @throws EnvironmentException if the host does not let it
    public static LoadRun start(LoadPlan plan) {
        return start(plan, Long.MAX_VALUE);
    }

    /// Starts to drive a number of requests, see [#done].
    public static LoadRun start(LoadPlan plan, long requestsMax) {
        LoadRun run = new LoadRun(plan, requestsMax);
        run.begin();
        return run;
    }

    /// Makes all ready, so that [#progress] can be read from before the first connect on. Nothing
    /// is sent before [#begin].
    public static LoadRun prepare(LoadPlan plan) {
        return prepare(plan, Long.MAX_VALUE);
    }

    /// The same for a number of requests, see [#done].
    public static LoadRun prepare(LoadPlan plan, long requestsMax) {
        return new LoadRun(plan, requestsMax);
    }

    /// Starts to drive what was prepared.
    ///
    /// @throws EnvironmentException if the host does not let it
    public void begin() {
        threads.forEach(Thread::start);
        try {
            awaitReady();
            // To ask for the first time takes some milliseconds, which no first answer waits for.
            await(FIRST_ANSWER_MAX, () -> done() || progress.requests() > 0);
            collectionsAtMark = GarbageCollections.read();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void awaitReady() {
        for (Driver driver : drivers) {
            try {
                if (!driver.ready().await(READY_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("an engine thread does not get ready");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the engine started", e);
            }
        }
        throwFailure();
    }

    private void throwFailure() {
        for (Driver driver : drivers) {
            Throwable failure = driver.failure();
            if (failure instanceof EnvironmentException e) {
                throw e;
            }
            if (failure != null) {
                throw new IllegalStateException("an engine thread failed", failure);
            }
        }
    }

    /// `io_uring` or `epoll`.
    public String driver() {
        return selection.choice().word();
    }

    /// Why this engine drives, a sentence without its full stop.
    public String driverReason() {
        return selection.reason();
    }

    /// The counts so far. The same object each time: it is closed with this run.
    public LoadProgress progress() {
        return progress;
    }

    /// Whether all requests of a bounded run have been answered or have failed.
    public boolean done() {
        return drivers.stream().allMatch(Driver::done);
    }

    /// Waits for [#done].
    ///
    /// @return whether that came in time
    public boolean awaitDone(Duration longest) {
        return await(longest, this::done);
    }

    /// Begins to measure: what was counted so far is forgotten.
    public void mark() {
        throwFailure();
        collectionsAtMark = GarbageCollections.read();
        int marks = control.marks + 1;
        control.marks = marks;
        boolean marked =
                await(MARK_MAX, () -> drivers.stream().allMatch(d -> d.marksSeen() == marks));
        throwFailure();
        if (!marked) {
            throw new IllegalStateException("an engine thread does not answer");
        }
    }

    /// Stops to send, waits for the answers that are under way, and tells what was measured.
    ///
    /// @param drain the longest time to wait
    public LoadOutcome finish(Duration drain) {
        return finish(drain, Tally.histogram());
    }

    /// The same, with what [Load#probe] saw before.
    public LoadOutcome finish(Duration drain, Histogram unloadedNanos) {
        if (finished) {
            throw new IllegalStateException("finished before");
        }
        stop(drain);
        throwFailure();
        return outcome(unloadedNanos);
    }

    private void stop(Duration drain) {
        finished = true;
        control.stopDeadlineNanos = System.nanoTime() + drain.toNanos();
        control.stopping = true;
        boolean ended =
                await(drain.plus(END_MAX), () -> threads.stream().noneMatch(LoadRun::running));
        if (!ended) {
            throw new IllegalStateException("an engine thread does not end");
        }
    }

    private static boolean running(Thread thread) {
        return thread.isAlive();
    }

    private static boolean await(Duration longest, BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - start > longest.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    private LoadOutcome outcome(Histogram unloadedNanos) {
        long sent = sum(d -> d.tally().begunSinceMark());
        long answered = sum(d -> d.tally().answeredSinceMark());
        long inFlight = sum(d -> d.exchanges().inFlight());
        LoadOutcome outcome =
                new LoadOutcome(
                        driver(),
                        plan.connections(),
                        plan.keepalive(),
                        plan.lockstep(),
                        seconds(),
                        sum(d -> d.timesWhole().cpuNanos()) / NANOS_PER_SECOND,
                        sent,
                        answered,
                        inFlight,
                        sum(d -> d.tally().bytesSinceMark()),
                        sum(d -> d.tally().openedSinceMark()),
                        errors(),
                        errorsByPhase(),
                        sum(d -> d.tally().failedNanosSinceMark()),
                        merged(t -> t.responseNanos),
                        merged(t -> t.serviceNanos),
                        merged(t -> t.connectNanos),
                        merged(t -> t.batchNanos),
                        unloadedNanos,
                        generator(),
                        sum(d -> d.tally().redirectsSinceMark()),
                        sum(d -> d.tally().repeatedSinceMark()),
                        openLoop(),
                        tls(),
                        targets());
        if (sent != answered + outcome.networkErrors() + inFlight) {
            throw new IllegalStateException(
                    sent
                            + " sent, but "
                            + answered
                            + " answered, "
                            + outcome.errors()
                            + " and in flight "
                            + inFlight);
        }
        return outcome;
    }

    private long sum(ToLongFunction<Driver> figure) {
        return drivers.stream().mapToLong(figure).sum();
    }

    /// From the mean of the threads' marks to the last one's end.
    private double seconds() {
        double sum = 0;
        long end = drivers.stream().mapToLong(Driver::endNanos).max().orElseThrow();
        for (Driver driver : drivers) {
            sum += end - driver.markNanos();
        }
        return sum / drivers.size() / NANOS_PER_SECOND;
    }

    private SortedMap<String, Long> errors() {
        SortedMap<String, Long> errors = new TreeMap<>();
        for (ErrorKind kind : ErrorKind.values()) {
            long count = sum(d -> d.tally().errorsSinceMark(kind));
            if (count > 0) {
                errors.put(kind.word(), count);
            }
        }
        return errors;
    }

    private SortedMap<String, SortedMap<String, Long>> errorsByPhase() {
        SortedMap<String, SortedMap<String, Long>> phases = new TreeMap<>();
        for (ErrorPhase phase : ErrorPhase.values()) {
            SortedMap<String, Long> errors = new TreeMap<>();
            for (ErrorKind kind : ErrorKind.values()) {
                put(errors, kind.word(), sum(d -> d.tally().errorsSinceMark(kind, phase)));
            }
            if (!errors.isEmpty()) {
                phases.put(phase.word(), errors);
            }
        }
        return phases;
    }

    private List<LoadOutcome.Target> targets() {
        List<TargetTally> tallies =
                drivers.stream().map(d -> d.tally().targets).filter(Objects::nonNull).toList();
        List<LoadOutcome.Target> targets = new ArrayList<>();
        if (!tallies.isEmpty()) {
            for (RequestSpec request : plan.mix().requests()) {
                targets.add(target(request, targets.size(), tallies));
            }
        }
        return targets;
    }

    private static LoadOutcome.Target target(
            RequestSpec request, int which, List<TargetTally> tallies) {
        long answered = 0;
        SortedMap<String, Long> errors = new TreeMap<>();
        Histogram responseNanos = TargetTally.histogram();
        for (TargetTally tally : tallies) {
            answered += tally.answered(which);
            tally.errors(which).forEach((kind, count) -> errors.merge(kind, count, Long::sum));
            responseNanos.add(tally.responseNanos(which));
        }
        return new LoadOutcome.Target(
                request.method() + " " + request.path(), answered, errors, responseNanos);
    }

    private Histogram merged(Function<Tally, Histogram> which) {
        Histogram all = Tally.histogram();
        drivers.forEach(d -> all.add(which.apply(d.tally())));
        return all;
    }

    private LoadOutcome.Generator generator() {
        long nanos = sum(d -> d.stopNanos() - d.markNanos());
        double cpu = part(sum(d -> d.timesMeasured().cpuNanos()), nanos);
        double waiting = part(sum(d -> d.timesMeasured().waitingNanos()), nanos);
        Map<String, Long> exhausted = new TreeMap<>();
        put(exhausted, "ports", sum(d -> d.tally().errorsSinceMark(ErrorKind.CONNECT_NO_PORT)));
        put(
                exhausted,
                "descriptors",
                sum(d -> d.tally().errorsSinceMark(ErrorKind.CONNECT_NO_DESCRIPTOR)));
        double idle = Math.clamp(1 - cpu - waiting, 0.0, 1.0);
        return new LoadOutcome.Generator(drivers.size(), idle, waiting, exhausted, stalls());
    }

    private LoadOutcome.Stalls stalls() {
        GarbageCollections collections = GarbageCollections.read().since(collectionsAtMark);
        return new LoadOutcome.Stalls(
                sum(d -> d.exchanges().pauses().count()),
                sum(d -> d.exchanges().pauses().sumNanos()),
                drivers.stream().mapToLong(d -> d.exchanges().pauses().maxNanos()).max().orElse(0),
                collections.count(),
                collections.nanos());
    }

    private LoadOutcome.@Nullable OpenLoop openLoop() {
        return plan.arrival() instanceof Arrival.Open open
                ? new LoadOutcome.OpenLoop(
                        open, sum(d -> d.tally().waitedSinceMark()), merged(t -> t.lateNanos))
                : null;
    }

    private LoadOutcome.@Nullable Tls tls() {
        TlsPlan tls = plan.tls();
        return tls == null
                ? null
                : new LoadOutcome.Tls(
                        first(TlsEngine::protocol),
                        first(TlsEngine::cipher),
                        tls.trusted(),
                        sumTls(TlsTally::handshakes),
                        sumTls(TlsTally::resumed),
                        mergedTls(t -> t.connectNanos),
                        mergedTls(t -> t.handshakeNanos),
                        first(TlsEngine::failure));
    }

    private long sumTls(ToLongFunction<TlsTally> figure) {
        return sum(d -> d.tls() == null ? 0 : figure.applyAsLong(d.tls().tally()));
    }

    private Histogram mergedTls(Function<TlsTally, Histogram> which) {
        Histogram all = Tally.histogram();
        for (Driver driver : drivers) {
            if (driver.tls() != null) {
                all.add(which.apply(driver.tls().tally()));
            }
        }
        return all;
    }

    private @Nullable String first(Function<TlsEngine, @Nullable String> what) {
        return drivers.stream()
                .map(Driver::tls)
                .filter(Objects::nonNull)
                .map(what)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static double part(long part, long whole) {
        return whole > 0 ? Math.clamp((double) part / whole, 0.0, 1.0) : 0;
    }

    private static void put(Map<String, Long> counts, String what, long count) {
        if (count > 0) {
            counts.put(what, count);
        }
    }

    /// Stops at once, if it was not finished.
    @Override
    public void close() {
        if (!finished) {
            stop(Duration.ZERO);
        }
        table.close();
        progress.close();
    }
}
