package wallfinder.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.RequestSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Answers;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Outside;

/// A running load. Its counts begin with the start, or with the last [#mark].
///
/// Each request that began in the measured time is answered, has failed, or is in flight at the
/// end. Requests in flight at the mark count as begun then.
public final class LoadRun implements AutoCloseable {
    private static final Duration MARK_MAX = Duration.ofSeconds(5);

    /// On busy CPUs a thread closes twenty thousand sockets in a second or two.
    private static final Duration END_MAX = Duration.ofSeconds(60);

    private static final Duration FIRST_ANSWER_MAX = Duration.ofMillis(50);
    private static final Duration SCHEDULE_MAX =
            Duration.ofNanos(2 * Arrivals.Open.OPENING_NANOS_MAX);
    private static final double NANOS_PER_SECOND = 1e9;

    private final LoadPlan plan;
    private final EngineSelection selection;
    private final Driver.Control control = new Driver.Control();
    private final List<Driver> drivers = new ArrayList<>();
    private final DriverThreads driverThreads;
    private final LoadProgress progress;
    private final RequestTable table;
    private GarbageCollections collectionsAtMark = GarbageCollections.NONE;
    private boolean finished;

    private LoadRun(LoadPlan plan, long requestsMax) {
        this.plan = plan;
        table = new RequestTable(plan);
        selection = EngineSelection.of(plan.engineThreads().engine());
        boolean ownTables = SocketBudget.of(plan).separateTables();
        if (ownTables) {
            SocketBudget.openShared();
        }
        for (int i = 0; i < plan.threads(); i++) {
            Share share = new Share(i, plan.threads());
            Driver driver =
                    new Driver(
                            plan,
                            selection,
                            control,
                            table,
                            ownTables,
                            i,
                            (int) share.of(plan.connections()),
                            requestsMax == Long.MAX_VALUE ? requestsMax : share.of(requestsMax));
            drivers.add(driver);
        }
        driverThreads = new DriverThreads(drivers, "wallfinder-load-");
        progress = new LoadProgress(drivers);
    }

    /// Checks whether this host can hold all connections of a plan. A run started without this
    /// check counts what it could not open.
    ///
    /// @throws EnvironmentException if it has too few descriptors or ports
    public static void check(LoadPlan plan) {
        SocketBudget.of(plan).check();
    }

    /// The most connections for which this many engine threads have descriptors.
    public static long connectionsMax(int threads) {
        return SocketBudget.connectionsMax(threads);
    }

    /// Starts a load.
    ///
    /// @throws EnvironmentException if the host prevents it
    public static LoadRun start(LoadPlan plan) {
        return start(plan, Long.MAX_VALUE);
    }

    /// Starts a load of a number of requests, see [#done].
    public static LoadRun start(LoadPlan plan, long requestsMax) {
        LoadRun run = new LoadRun(plan, requestsMax);
        run.begin();
        return run;
    }

    /// Prepares a load, so that [#progress] can be read before the first connect. Nothing is sent
    /// before [#begin].
    public static LoadRun prepare(LoadPlan plan, long requestsMax) {
        return new LoadRun(plan, requestsMax);
    }

    /// Starts a prepared load.
    ///
    /// @throws EnvironmentException if the host prevents it
    public void begin() {
        beginAt(System.nanoTime());
        ready();
        awaitBegin();
    }

    /// Makes the threads and the memory of a prepared load. They then wait for [#beginAt].
    ///
    /// @throws EnvironmentException if the host prevents it
    public void ready() {
        try {
            driverThreads.start();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /// Sets the start to an instant of [System#nanoTime].
    public void beginAt(long nanos) {
        control.startNanos = nanos;
        control.open = true;
    }

    /// Waits until the load has begun.
    public void awaitBegin() {
        LockSupport.parkNanos(control.startNanos - System.nanoTime());
        // The first call takes some milliseconds, which must not delay the first answers.
        DriverThreads.await(FIRST_ANSWER_MAX, () -> done() || progress.requests() > 0);
        collectionsAtMark = GarbageCollections.read();
    }

    /// Waits until the first request of an open loop has come due, which is when its connections
    /// are open.
    public void awaitSchedule() {
        if (plan.arrival() instanceof Arrival.Open) {
            DriverThreads.await(
                    SCHEDULE_MAX, () -> drivers.stream().allMatch(d -> d.done || d.isScheduled()));
        }
    }

    public String driver() {
        return selection.choice().word();
    }

    /// Why this engine drives, without full stop.
    public String driverReason() {
        return selection.reason();
    }

    /// The counts so far. Always the same object; closing this run closes it.
    public LoadProgress progress() {
        return progress;
    }

    /// Whether all requests of a bounded load have been answered or have failed.
    public boolean done() {
        return drivers.stream().allMatch(d -> d.done);
    }

    /// Waits for [#done].
    ///
    /// @return whether it became true in time
    public boolean awaitDone(Duration longest) {
        return DriverThreads.await(longest, this::done);
    }

    /// Begins to measure: resets all counts.
    public void mark() {
        driverThreads.throwFailure();
        collectionsAtMark = GarbageCollections.read();
        int marks = control.marks + 1;
        control.marks = marks;
        boolean marked =
                DriverThreads.await(
                        MARK_MAX, () -> drivers.stream().allMatch(d -> d.marksSeen == marks));
        driverThreads.throwFailure();
        if (!marked) {
            throw new EnvironmentException(
                    "the measurement cannot begin",
                    "the load generator's thread did not run for %d s"
                            .formatted(MARK_MAX.toSeconds()),
                    "give it a CPU: stop other programs, or take a host that is not overcommitted");
        }
    }

    /// Stops sending, waits for outstanding answers, and returns the outcome.
    ///
    /// @param drain the longest wait
    public LoadOutcome.Requests finish(Duration drain) {
        if (finished) {
            throw new IllegalStateException("already finished");
        }
        stop(drain);
        driverThreads.throwFailure();
        return outcome();
    }

    private void stop(Duration drain) {
        finished = true;
        control.stopDeadlineNanos = System.nanoTime() + drain.toNanos();
        control.stopping = true;
        driverThreads.awaitEnd(drain.plus(END_MAX));
    }

    private LoadOutcome.Requests outcome() {
        ExchangeCounts exchanges =
                new ExchangeCounts(
                        driverThreads.sum(Tally::begunSinceMark),
                        driverThreads.sum(Tally::answeredSinceMark),
                        sum(d -> d.exchanges().inFlight()),
                        driverThreads.sum(t -> t.bytes),
                        driverThreads.sum(Tally::openedSinceMark),
                        outside());
        LoadOutcome.Requests outcome =
                outcome(
                        sum(d -> d.timesWhole().cpuNanos()),
                        generator(),
                        seconds(),
                        exchanges,
                        driverThreads.failures(),
                        driverThreads.times());
        if (outcome.sent() != outcome.answered() + outcome.networkErrors() + outcome.inFlight()) {
            throw new IllegalStateException(exchanges + ", but " + outcome.errors());
        }
        return outcome;
    }

    private LoadOutcome.Requests outcome(
            long cpuNanos,
            LoadOutcome.Generator generator,
            double seconds,
            ExchangeCounts exchanges,
            LoadOutcome.Failures failures,
            LoadOutcome.Times times) {
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine(driver(), cpuNanos / NANOS_PER_SECOND, generator),
                plan.connections(),
                plan.keepalive(),
                loop(),
                seconds,
                exchanges,
                failures,
                times,
                Tally.histogram(),
                answers(),
                driverThreads.sum(t -> t.redirects),
                driverThreads.sum(t -> t.repeated),
                tls(),
                targets());
    }

    /// The outcome until now, for a process that may end at any time. The threads go on counting
    /// meanwhile and take no notice: some of the newest exchanges may be missing, and the order of
    /// the response times is. What can be derived from other counts is, so that they agree.
    public LoadOutcome.Requests soFar() {
        ThreadTimes spent = timesSinceMark();
        long nanos = sum(d -> System.nanoTime() - d.markNanos);
        LoadOutcome.Times times = driverThreads.timesWithoutOrder();
        LoadOutcome.Failures failures = driverThreads.failures();
        long bad = 0;
        long failed = 0;
        for (ErrorKind kind : ErrorKind.values()) {
            long count = failures.errors().getOrDefault(kind.word(), 0L);
            bad += kind.answer() ? count : 0;
            failed += kind.answer() ? 0 : count;
        }
        long answered = times.responseNanos().getTotalCount() + bad;
        long inFlight = Math.max(0, driverThreads.sum(Tally::begunSinceMark) - answered - failed);
        return outcome(
                spent.cpuNanos(),
                driverThreads.generator(spent, nanos, collectionsAtMark),
                nanos / NANOS_PER_SECOND / drivers.size(),
                new ExchangeCounts(
                        answered + failed + inFlight,
                        answered,
                        inFlight,
                        driverThreads.sum(t -> t.bytes),
                        driverThreads.sum(Tally::openedSinceMark),
                        outside()),
                failures,
                times);
    }

    private ThreadTimes timesSinceMark() {
        long cpuNanos = 0;
        long waitingNanos = 0;
        for (Driver driver : drivers) {
            ThreadTimes times = driver.timesSinceMark();
            cpuNanos += times.cpuNanos();
            waitingNanos += times.waitingNanos();
        }
        return new ThreadTimes(cpuNanos, waitingNanos);
    }

    /// When the first thread began, by [System#nanoTime].
    public long beganNanos() {
        return drivers.stream().mapToLong(d -> d.markNanos).min().orElseThrow();
    }

    private Outside outside() {
        return switch (plan.arrival()) {
            case Arrival.Closed _ -> driverThreads.outside(Tally::partsOutside);
            case Arrival.Open _ -> driverThreads.outside(Tally::after);
            case Arrival.Lockstep _ -> Outside.NONE;
        };
    }

    private Answers answers() {
        return new Answers(
                driverThreads.statuses(t -> t.statuses),
                driverThreads.statuses(t -> t.badStatuses),
                driverThreads.merged(t -> t.badNanos),
                0,
                0);
    }

    private LoadOutcome.Loop loop() {
        return switch (plan.arrival()) {
            case Arrival.Closed _ -> new LoadOutcome.Loop.Closed();
            case Arrival.Lockstep _ ->
                    new LoadOutcome.Loop.Lockstep(driverThreads.merged(t -> t.batchNanos));
            case Arrival.Open open ->
                    new LoadOutcome.Loop.Open(
                            open,
                            driverThreads.sum(t -> t.waited),
                            driverThreads.merged(t -> t.lateNanos),
                            driverThreads.merged(t -> t.gapNanos));
        };
    }

    private long sum(ToLongFunction<Driver> figure) {
        return drivers.stream().mapToLong(figure).sum();
    }

    /// From the mean of the threads' beginnings to the end of the last thread.
    private double seconds() {
        double sum = 0;
        long end = drivers.stream().mapToLong(Driver::endNanos).max().orElseThrow();
        for (Driver driver : drivers) {
            sum += end - driver.fromNanos();
        }
        return sum / drivers.size() / NANOS_PER_SECOND;
    }

    private List<LoadOutcome.Target> targets() {
        List<TargetTally> tallies =
                drivers.stream()
                        .map(d -> d.state().tally.targets)
                        .filter(Objects::nonNull)
                        .toList();
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
                request.method() + " " + request.path(),
                answered,
                errors,
                responseNanos,
                TargetTally.histogram());
    }

    private LoadOutcome.Generator generator() {
        ThreadTimes times =
                new ThreadTimes(
                        sum(d -> d.timesMeasured().cpuNanos()),
                        sum(d -> d.timesMeasured().waitingNanos()));
        long nanos = sum(d -> d.stopNanos - d.markNanos);
        return driverThreads.generator(times, nanos, collectionsAtMark);
    }

    private LoadOutcome.@Nullable Tls tls() {
        TlsPlan tls = plan.tls();
        if (tls == null) {
            return null;
        }
        List<TlsEngine> engines =
                drivers.stream().map(d -> d.tls).filter(Objects::nonNull).toList();
        Histogram connectNanos = Tally.histogram();
        Histogram handshakeNanos = Tally.histogram();
        for (TlsEngine engine : engines) {
            connectNanos.add(engine.tally.connectNanos);
            handshakeNanos.add(engine.tally.handshakeNanos);
        }
        return new LoadOutcome.Tls(
                first(engines, engine -> engine.protocol),
                first(engines, engine -> engine.cipher),
                tls.library().words(),
                tls.trusted(),
                handshakeNanos.getTotalCount(),
                engines.stream().mapToLong(engine -> engine.tally.resumed).sum(),
                connectNanos,
                handshakeNanos,
                first(engines, engine -> engine.failure));
    }

    private static @Nullable String first(
            List<TlsEngine> engines, Function<TlsEngine, @Nullable String> what) {
        return engines.stream().map(what).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /// Stops at once if the run is not finished.
    @Override
    public void close() {
        if (!finished) {
            stop(Duration.ZERO);
        }
        table.close();
        progress.close();
    }
}
