package wallfinder.load;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Affinity;
import wallfinder.synthetic.Link;

/// One thread that holds its share of the connections. The thread creates everything it needs.
/// Others read its counts only after it has ended, except [Tally#published].
final class HoldDriver implements EngineThread {
    /// The thread looks at its [Control] at least this often.
    private static final long WAIT_NANOS_MAX = 50_000_000;

    /// The longest time for which the connections stay open after the stop.
    private static final long STILL_SECONDS_MAX = 600;

    static final class Control {
        volatile boolean stopping;
        volatile long stopDeadlineNanos;
        final CountDownLatch closing = new CountDownLatch(1);
    }

    private final HoldPlan plan;
    private final Control control;
    private final int thread;
    private final long seed;
    private final boolean ownTable;
    private final Tally tally;

    /// Others read it once the thread has ended.
    final HeldTally held;

    private final ThreadState state;
    private final CountDownLatch still = new CountDownLatch(1);
    private ThreadTimes timesAtStart = ThreadTimes.NONE;
    private @Nullable ThreadTimes timesAtSettled;
    private ThreadTimes timesAtStop = ThreadTimes.NONE;
    private ThreadTimes timesAtEnd = ThreadTimes.NONE;
    long startNanos;

    /// When it sent no more messages.
    long stopNanos;

    /// Whether every connection has been established or has failed, or the thread has ended.
    volatile boolean settled;

    volatile boolean faulted;

    /// The connections that have had their first answer.
    volatile long firstAnswers;

    /// @param seed of all messages of the run
    /// @param ownTable see [EngineThreads#begin]
    HoldDriver(HoldPlan plan, Control control, int thread, long seed, boolean ownTable) {
        this.plan = plan;
        this.control = control;
        this.thread = thread;
        this.seed = seed;
        this.ownTable = ownTable;
        tally = new Tally(plan.digits());
        state = new ThreadState(tally);
        held = new HeldTally(tally, plan.digits());
    }

    @Override
    public void run() {
        try {
            plan.engineThreads().begin(thread, ownTable);
            state.threadId = Affinity.threadId();
            try (ThreadClock clock = new ThreadClock(state.threadId)) {
                timesAtStart = clock.read();
                hold(clock);
            }
        } catch (Throwable e) {
            state.failure = e;
        } finally {
            settled = true;
            state.ready.countDown();
            still.countDown();
        }
    }

    private void hold(ThreadClock clock) throws IOException, InterruptedException {
        try (ConnectionHolder all = holder()) {
            startNanos = System.nanoTime();
            state.ready.countDown();
            while (!control.stopping) {
                step(all);
                if (timesAtSettled == null && settled) {
                    timesAtSettled = clock.read();
                }
            }
            all.stop();
            stopNanos = System.nanoTime();
            timesAtStop = clock.read();
            while (!quiet() && System.nanoTime() - control.stopDeadlineNanos < 0) {
                step(all);
            }
            timesAtEnd = clock.read();
            all.account();
            held.leaveOutOpening();
            still.countDown();
            boolean _ = control.closing.await(STILL_SECONDS_MAX, TimeUnit.SECONDS);
        }
        tally.open = 0;
        tally.publish();
    }

    private ConnectionHolder holder() {
        Link link = plan.link();
        return link == null
                ? new SocketHolder(
                        plan, thread, seed, new Connector(plan, thread), held, System::nanoTime)
                : new SyntheticHolder(plan, link, seed, held, System::nanoTime);
    }

    /// Small on purpose: the compiler optimizes a small loop over small methods best.
    private void step(ConnectionHolder all) {
        all.step(WAIT_NANOS_MAX);
        tally.publish();
        if (held.settled != settled) {
            settled = true;
        }
        long answers = held.firstAnswerNanos.getTotalCount();
        if (answers != firstAnswers) {
            firstAnswers = answers;
        }
        if (tally.failed > 0 && !faulted) {
            faulted = true;
        }
    }

    /// Whether no message is being exchanged.
    private boolean quiet() {
        return tally.begun == tally.answered + tally.failed;
    }

    @Override
    public ThreadState state() {
        return state;
    }

    /// Whether the connections are idle and counted, or the thread has ended.
    boolean still() {
        return still.getCount() == 0;
    }

    ThreadTimes timesHeld() {
        return timesAtStop.since(timesAtStart);
    }

    /// From the moment when every connection had been established or had failed, until the stop.
    ThreadTimes timesSettled() {
        return timesAtSettled == null ? ThreadTimes.NONE : timesAtStop.since(timesAtSettled);
    }

    long heldNanos() {
        return stopNanos - startNanos;
    }

    ThreadTimes timesWhole() {
        return timesAtEnd.since(timesAtStart);
    }
}
