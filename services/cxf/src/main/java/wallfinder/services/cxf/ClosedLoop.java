package wallfinder.services.cxf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Threads that each make one request after the other, until the time is over, they have made their
/// share of the count, or they are stopped.
final class ClosedLoop {
    /// How long a thread may take to stop.
    private static final long STOP_SECONDS_MAX = 2;

    private final ClientOptions options;
    private final List<ThreadTally> tallies = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch running;
    private final CountDownLatch go = new CountDownLatch(1);
    private final long startNanos;
    private final long beginNanos;
    private volatile boolean stopped;

    ClosedLoop(ClientOptions options) {
        this.options = options;
        running = new CountDownLatch(options.threads());
        for (int i = 0; i < options.threads(); i++) {
            ThreadTally tally = new ThreadTally();
            Caller caller = new Caller(options);
            long share = options.count() / options.threads();
            long more = i < options.count() % options.threads() ? 1 : 0;
            Thread thread = new Thread(() -> drive(caller, tally, share + more), "caller-" + i);
            thread.setDaemon(true);
            tallies.add(tally);
            threads.add(thread);
        }
        startNanos = System.nanoTime();
        beginNanos = startNanos + options.warmup().toNanos();
    }

    /// Starts all threads.
    void start() {
        threads.forEach(Thread::start);
        go.countDown();
    }

    /// Waits for the end of all threads.
    ///
    /// @return false if the time passed first
    boolean await(long nanos) throws InterruptedException {
        return running.await(nanos, TimeUnit.NANOSECONDS);
    }

    /// Waits for requests under way, but not for those that take long.
    void stop() throws InterruptedException {
        stopped = true;
        threads.forEach(Thread::interrupt);
        running.await(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    }

    Totals totals() {
        return new Totals(List.copyOf(tallies), beginNanos);
    }

    private void drive(Caller caller, ThreadTally tally, long share) {
        try (caller) {
            go.await();
            while (goesOn(tally, share)) {
                request(caller, tally);
            }
        } catch (InterruptedException stoppedBeforeItBegan) {
            // The thread has made no request yet.
        } finally {
            running.countDown();
        }
    }

    private boolean goesOn(ThreadTally tally, long share) {
        boolean counted = options.count() > 0 && tally.answered() + tally.failed() >= share;
        boolean late =
                !options.time().isZero()
                        && System.nanoTime() - beginNanos >= options.time().toNanos();
        return !stopped && !counted && !late;
    }

    private void request(Caller caller, ThreadTally tally) {
        long start = System.nanoTime();
        boolean counts = start - beginNanos >= 0;
        String failure = null;
        try {
            int status = caller.call(counts ? options.consume() : ClientOptions.Consume.READ);
            failure = caller.expected(status) ? null : Failure.kind(status);
        } catch (Exception e) {
            failure = Failure.kind(e);
        }
        long now = System.nanoTime();
        if (!counts) {
            return;
        }
        if (failure == null) {
            tally.answered(start, now);
        } else if (!stopped) { // a request that stop() interrupted is no error
            tally.failed(failure, now);
            stopped |= options.stopOnError();
        }
    }
}
