package wallfinder.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The events that one browser gets.
final class EventStream implements AutoCloseable {
    /// A browser that is so far behind loses events.
    private static final int WAITING_MAX = 2_000;

    private final OutputStream out;
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable String last;

    EventStream(OutputStream out) {
        this.out = out;
    }

    void add(String event) {
        if (!waiting.offer(event)) {
            waiting.poll();
        }
    }

    /// The stream ends after this event. Only the first one counts.
    void addLast(String event) {
        if (last == null) {
            last = event;
            add("");
        }
    }

    /// Sends events until the last one, and the state in each pause between them.
    void run(Supplier<String> state, Duration pause) throws IOException, InterruptedException {
        send(state.get());
        while (last == null) {
            String event = waiting.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
            send(event == null ? state.get() : event);
        }
        for (String event = waiting.poll(); event != null; event = waiting.poll()) {
            send(event);
        }
        send(String.valueOf(last));
    }

    private void send(String event) throws IOException {
        out.write(event.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    void awaitEnd(long untilNanos) {
        try {
            if (!closed.await(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
