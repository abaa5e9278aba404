package wallfinder.load;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.linux.Affinity;

/// One thread that drives its share of the connections. The thread creates everything it needs.
/// Others read its counts only after it has ended, except [Tally#published].
final class Driver implements EngineThread {
    static final class Control {
        volatile int marks;
        volatile boolean stopping;

        /// Until then, the threads are ready and send nothing.
        volatile boolean open;

        /// When they begin, by [System#nanoTime]. Read after [#open].
        volatile long startNanos = Long.MIN_VALUE;

        volatile long stopDeadlineNanos;
    }

    private static final long START_POLL_NANOS = 1_000_000;

    private final LoadPlan plan;
    private final EngineSelection selection;
    private final Control control;
    private final RequestTable table;
    private final boolean ownTable;
    private final int thread;
    private final int connections;
    private final long requestsMax;
    private final Tally tally;
    private final ThreadState state;
    private @Nullable Exchanges exchanges;

    /// Null without TLS.
    @Nullable TlsEngine tls;

    private ThreadTimes timesAtMark = ThreadTimes.NONE;
    private ThreadTimes timesAtStop = ThreadTimes.NONE;
    private ThreadTimes timesAtEnd = ThreadTimes.NONE;
    long markNanos;
    long stopNanos;
    private boolean stopped;

    /// The last of [Control#marks] that the thread has followed.
    volatile int marksSeen;

    /// Whether all requests have been answered or have failed, or the thread has ended.
    volatile boolean done;

    /// @param ownTable see [EngineThreads#begin]
    Driver(
            LoadPlan plan,
            EngineSelection selection,
            Control control,
            RequestTable table,
            boolean ownTable,
            int thread,
            int connections,
            long requestsMax) {
        this.plan = plan;
        this.selection = selection;
        this.control = control;
        this.table = table;
        this.ownTable = ownTable;
        this.thread = thread;
        this.connections = connections;
        this.requestsMax = requestsMax;
        tally = new Tally(TargetTally.of(plan.mix()), plan.expect());
        state = new ThreadState(tally);
    }

    @Override
    public void run() {
        try {
            plan.engineThreads().begin(thread, ownTable);
            state.threadId = Affinity.threadId();
            try (ThreadClock clock = new ThreadClock(state.threadId)) {
                drive(clock);
                timesAtEnd = clock.read();
            }
        } catch (Throwable e) {
            state.failure = e;
        } finally {
            done = true;
            state.ready.countDown();
        }
    }

    private void drive(ThreadClock clock) throws IOException {
        try (Requests requests = table.of(thread, connections);
                Connector connector = new Connector(plan, thread);
                Engine engine = withTls(selection.open(connections, connector))) {
            Arrivals arrivals = arrivals();
            Exchanges all =
                    new Exchanges(
                            plan,
                            connections,
                            requestsMax,
                            engine,
                            requests,
                            arrivals,
                            tally,
                            System::nanoTime);
            exchanges = all;
            all.tick();
            mark(clock);
            state.ready.countDown();
            if (!awaitStart()) {
                mark(clock);
            }
            all.tick(); // the first requests begin after the mark
            arrivals.opens(all.now());
            all.start();
            while (continues(all, clock)) {
                step(all, engine);
            }
            all.end();
        }
        tally.open = 0;
        tally.publish();
    }

    /// @return true if the start was there already
    private boolean awaitStart() {
        if (control.open && control.startNanos - System.nanoTime() <= 0) {
            return true;
        }
        while (!control.open && !control.stopping) {
            LockSupport.parkNanos(START_POLL_NANOS);
        }
        for (long left = leftToStart(); left > 0; left = leftToStart()) {
            LockSupport.parkNanos(left);
        }
        return false;
    }

    private long leftToStart() {
        return control.stopping ? 0 : control.startNanos - System.nanoTime();
    }

    private Engine withTls(Engine sockets) {
        TlsPlan plan = this.plan.tls();
        if (plan == null) {
            return sockets;
        }
        tls = new TlsEngine(plan, connections, sockets);
        return tls;
    }

    private Arrivals arrivals() {
        return switch (plan.arrival()) {
            case Arrival.Closed _ -> new Arrivals.Closed();
            case Arrival.Lockstep _ -> new Arrivals.Lockstep(tally);
            case Arrival.Open open ->
                    new Arrivals.Open(
                            Pacer.of(
                                    open,
                                    plan.share().thread(thread),
                                    plan.share().threads(plan.threads())),
                            tally,
                            connections,
                            LoadPlan.nanos(plan.timeouts().whole()),
                            System.nanoTime());
        };
    }

    /// Small on purpose: the compiler optimizes a small loop over small methods best.
    private void step(Exchanges all, Engine engine) {
        engine.poll(all, all.waitNanos());
        all.sweep();
        all.proceed();
        tally.publish();
    }

    private boolean continues(Exchanges all, ThreadClock clock) throws IOException {
        if (control.marks != marksSeen) {
            mark(clock);
            marksSeen = control.marks;
        }
        boolean allDone = all.done();
        if (!stopped && (control.stopping || allDone)) {
            stop(all, clock);
        }
        done = allDone || all.done();
        boolean late = control.stopping && all.now() - control.stopDeadlineNanos >= 0;
        return !(control.stopping && (done || late));
    }

    private void mark(ThreadClock clock) throws IOException {
        tally.mark(System.nanoTime());
        if (tls != null) {
            tls.tally.mark();
        }
        timesAtMark = clock.read();
        markNanos = System.nanoTime();
        tally.pauses.start(markNanos);
    }

    private void stop(Exchanges all, ThreadClock clock) throws IOException {
        stopped = true;
        all.stop();
        timesAtStop = clock.read();
        stopNanos = System.nanoTime();
        tally.stop(stopNanos);
    }

    @Override
    public ThreadState state() {
        return state;
    }

    /// The exchanges and their counts, once the thread has ended.
    Exchanges exchanges() {
        if (exchanges == null) {
            throw new IllegalStateException("the thread did not drive");
        }
        return exchanges;
    }

    /// When the measured time began: at the mark, or when the first request of an open loop came
    /// due.
    long fromNanos() {
        return Math.min(endNanos(), Math.max(markNanos, exchanges().scheduledNanos()));
    }

    /// When the measured time ended: at the stop, or at the last answer of the last batch.
    long endNanos() {
        long end = Math.max(stopNanos, markNanos);
        return plan.arrival() instanceof Arrival.Lockstep
                ? Math.max(end, exchanges().lastAnswerNanos)
                : end;
    }

    /// Whether the first request of an open loop has come due, for another thread.
    boolean isScheduled() {
        return tally.scheduled;
    }

    /// From the mark until now, for another thread.
    ThreadTimes timesSinceMark() {
        try (ThreadClock clock = new ThreadClock(state.threadId)) {
            return clock.read().since(timesAtMark);
        } catch (IOException e) {
            return ThreadTimes.NONE; // it has ended, or no descriptor is free
        }
    }

    /// From the mark to the stop.
    ThreadTimes timesMeasured() {
        return timesAtStop.since(timesAtMark);
    }

    /// From the mark to the end.
    ThreadTimes timesWhole() {
        return timesAtEnd.since(timesAtMark);
    }
}
