package wallfinder.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Outside;

/// The driver threads of one run and the sums of their counts.
final class DriverThreads {
    private static final Duration READY_MAX = Duration.ofSeconds(20);
    private static final long POLL_NANOS = 200_000;

    private final List<? extends EngineThread> members;
    private final List<Thread> threads = new ArrayList<>();

    /// @param name of the threads, without their numbers
    DriverThreads(List<? extends EngineThread> members, String name) {
        this.members = List.copyOf(members);
        for (EngineThread member : members) {
            threads.add(Thread.ofPlatform().daemon().name(name, threads.size()).unstarted(member));
        }
    }

    /// Starts all threads and waits until they are ready.
    ///
    /// @throws EnvironmentException if the host prevents it
    void start() {
        threads.forEach(Thread::start);
        for (EngineThread member : members) {
            try {
                if (!member.state().ready.await(READY_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException(
                            "an engine thread did not become ready in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the engine started", e);
            }
        }
        throwFailure();
    }

    void throwFailure() {
        for (EngineThread member : members) {
            Throwable failure = member.state().failure;
            if (failure instanceof EnvironmentException e) {
                throw e;
            }
            if (failure != null) {
                throw new IllegalStateException("an engine thread failed", failure);
            }
        }
    }

    void awaitEnd(Duration longest) {
        if (!await(longest, () -> threads.stream().noneMatch(Thread::isAlive))) {
            throw new IllegalStateException("an engine thread did not end in time");
        }
    }

    /// Waits for a fact.
    ///
    /// @return whether it became true in time
    static boolean await(Duration longest, BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - start > longest.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    long sum(ToLongFunction<Tally> figure) {
        return members.stream().map(member -> member.state().tally).mapToLong(figure).sum();
    }

    Outside outside(Function<Tally, Outside> which) {
        return members.stream()
                .map(member -> which.apply(member.state().tally))
                .reduce(Outside.NONE, Outside::plus);
    }

    Histogram merged(Function<Tally, Histogram> which) {
        Histogram all = Tally.histogram();
        members.forEach(member -> all.add(which.apply(member.state().tally)));
        return all;
    }

    private SortedMap<String, Long> errors() {
        SortedMap<String, Long> errors = new TreeMap<>();
        for (ErrorKind kind : ErrorKind.values()) {
            put(errors, kind.word(), sum(tally -> tally.errors(kind)));
        }
        return errors;
    }

    SortedMap<String, Long> statuses(Function<Tally, long[]> counts) {
        SortedMap<String, Long> statuses = new TreeMap<>();
        for (int i = 0; i < Tally.STATUSES; i++) {
            int status = i;
            put(statuses, Integer.toString(i), sum(tally -> counts.apply(tally)[status]));
        }
        return statuses;
    }

    private SortedMap<String, SortedMap<String, Long>> errorsByPhase() {
        SortedMap<String, SortedMap<String, Long>> phases = new TreeMap<>();
        for (ErrorPhase phase : ErrorPhase.values()) {
            SortedMap<String, Long> errors = new TreeMap<>();
            for (ErrorKind kind : ErrorKind.values()) {
                put(errors, kind.word(), sum(tally -> tally.errors(kind, phase)));
            }
            if (!errors.isEmpty()) {
                phases.put(phase.word(), errors);
            }
        }
        return phases;
    }

    LoadOutcome.Failures failures() {
        return new LoadOutcome.Failures(errors(), errorsByPhase(), sum(t -> t.failedNanos));
    }

    LoadOutcome.Times timesWithoutOrder() {
        return new LoadOutcome.Times(
                merged(t -> t.responseNanos),
                merged(t -> t.serviceNanos),
                merged(t -> t.connectNanos));
    }

    LoadOutcome.Times times() {
        LoadOutcome.Times all = timesWithoutOrder();
        return new LoadOutcome.Times(
                all.responseNanos(),
                all.serviceNanos(),
                all.connectNanos(),
                ThinnedTimes.merged(
                        members.stream()
                                .map(member -> member.state().tally.thinned)
                                .filter(Objects::nonNull)
                                .toList()));
    }

    /// Which resources of this host ran out, and how often.
    private SortedMap<String, Long> exhausted() {
        SortedMap<String, Long> exhausted = new TreeMap<>();
        put(exhausted, "ports", sum(t -> t.errors(ErrorKind.CONNECT_NO_PORT)));
        put(exhausted, "descriptors", sum(t -> t.errors(ErrorKind.CONNECT_NO_DESCRIPTOR)));
        put(exhausted, "epoll watches", sum(t -> t.errors(ErrorKind.CONNECT_NO_WATCH)));
        return exhausted;
    }

    /// How busy the threads were.
    ///
    /// @param times sums over all threads
    /// @param nanos how long the threads drove, summed
    LoadOutcome.Generator generator(ThreadTimes times, long nanos, GarbageCollections since) {
        double waiting = share(times.waitingNanos(), nanos);
        double idle = Math.clamp(1 - share(times.cpuNanos(), nanos) - waiting, 0.0, 1.0);
        return new LoadOutcome.Generator(members.size(), idle, waiting, exhausted(), stalls(since));
    }

    private static double share(long part, long whole) {
        return whole > 0 ? Math.clamp((double) part / whole, 0.0, 1.0) : 0;
    }

    private LoadOutcome.Stalls stalls(GarbageCollections since) {
        GarbageCollections collections = GarbageCollections.read().since(since);
        return new LoadOutcome.Stalls(
                sum(t -> t.pauses.count),
                sum(t -> t.pauses.sumNanos),
                members.stream().mapToLong(m -> m.state().tally.pauses.maxNanos).max().orElse(0),
                collections.count(),
                collections.nanos());
    }

    private static void put(SortedMap<String, Long> counts, String what, long count) {
        if (count > 0) {
            counts.put(what, count);
        }
    }
}
