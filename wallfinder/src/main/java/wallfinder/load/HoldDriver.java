package wallfinder.load;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Expectation;
import wallfinder.linux.Affinity;
import wallfinder.synthetic.Link;

/// One thread that holds its share of the connections. All it needs is made on that thread, and
/// what it counts is read by others only after it has ended, but for [Tally#published].
final class HoldDriver implements EngineThread {
    /// What the run is told is looked at this often at least.
    private static final long WAIT_NANOS_MAX = 50_000_000;

    /// Nobody looks longer at connections that stand still.
    private static final long STILL_SECONDS_MAX = 600;

    /// What the run tells its threads.
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
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch still = new CountDownLatch(1);
    private @Nullable ConnectionHolder holding;
    private ThreadTimes timesAtStart = ThreadTimes.NONE;
    private @Nullable ThreadTimes timesAtSettled;
    private ThreadTimes timesAtStop = ThreadTimes.NONE;
    private ThreadTimes timesAtEnd = ThreadTimes.NONE;
    private long startNanos;
    private long stopNanos;
    private long endNanos;
    private volatile boolean settled;
    private volatile boolean faulted;
    private volatile long firstAnswers;
    private volatile int threadId;
    private volatile @Nullable Throwable failure;

    /// @param seed of all messages of the run
    /// @param ownTable see [EngineThreads#begin]
    HoldDriver(HoldPlan plan, Control control, int thread, long seed, boolean ownTable) {
        this.plan = plan;
        this.control = control;
        this.thread = thread;
        this.seed = seed;
        this.ownTable = ownTable;
        tally = new Tally(null, Expectation.DEFAULT, plan.digits());
    }

    @Override
    public void run() {
        try {
            plan.engineThreads().begin(thread, ownTable);
            threadId = Affinity.threadId();
            try (ThreadClock clock = new ThreadClock(threadId)) {
                timesAtStart = clock.read();
                hold(clock);
            }
        } catch (Throwable e) {
            failure = e;
        } finally {
            settled = true;
            ready.countDown();
            still.countDown();
        }
    }

    private void hold(ThreadClock clock) throws IOException, InterruptedException {
        try (ConnectionHolder all = holder()) {
            holding = all;
            startNanos = System.nanoTime();
            ready.countDown();
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
            endNanos = System.nanoTime();
            timesAtEnd = clock.read();
            all.account();
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
                        plan, thread, seed, new Connector(plan, thread), tally, System::nanoTime)
                : new SyntheticHolder(plan, link, seed, tally, System::nanoTime);
    }

    /// Small on purpose: the compiler does best with a small loop over small methods.
    private void step(ConnectionHolder all) {
        all.step(WAIT_NANOS_MAX);
        tally.publish();
        if (all.held().settled() != settled) {
            settled = true;
        }
        long answers = all.held().firstAnswerNanos.getTotalCount();
        if (answers != firstAnswers) {
            firstAnswers = answers;
        }
        if (tally.failed > 0 && !faulted) {
            faulted = true;
        }
    }

    /// Whether nothing is under way any more.
    private boolean quiet() {
        return tally.begun == tally.answered + tally.failed;
    }

    @Override
    public CountDownLatch ready() {
        return ready;
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public int threadId() {
        return threadId;
    }

    @Override
    public Tally tally() {
        return tally;
    }

    /// Whether every connection has stood or has failed, or the thread has ended.
    boolean settled() {
        return settled;
    }

    /// Connections that had their first answer so far.
    long firstAnswers() {
        return firstAnswers;
    }

    /// Whether any connection has failed.
    boolean faulted() {
        return faulted;
    }

    /// Whether its connections stand still and are accounted for, or the thread has ended.
    boolean still() {
        return still.getCount() == 0;
    }

    /// What was counted, once the thread has ended.
    ConnectionHolder holding() {
        if (holding == null) {
            throw new IllegalStateException("the thread never held anything");
        }
        return holding;
    }

    long startNanos() {
        return startNanos;
    }

    long endNanos() {
        return endNanos;
    }

    /// From the start to the stop.
    ThreadTimes timesHeld() {
        return timesAtStop.since(timesAtStart);
    }

    /// From when all had stood or had failed to the stop.
    ThreadTimes timesSettled() {
        return timesAtSettled == null ? ThreadTimes.NONE : timesAtStop.since(timesAtSettled);
    }

    long heldNanos() {
        return stopNanos - startNanos;
    }

    /// From the start to the end.
    ThreadTimes timesWhole() {
        return timesAtEnd.since(timesAtStart);
    }
}
