package wallfinder.services.echo;

import java.util.concurrent.atomic.LongAdder;

/// What both programs count and print.
final class Tally {
    private final long startNanos = System.nanoTime();
    private final LongAdder connections = new LongAdder();
    private final LongAdder messages = new LongAdder();
    private final LongAdder inHand = new LongAdder();

    void connected() {
        connections.increment();
    }

    void disconnected() {
        connections.decrement();
    }

    /// A client's message and its answer.
    void exchanged() {
        messages.increment();
    }

    /// A message that the server is to answer.
    void received() {
        inHand.increment();
    }

    void answered() {
        messages.increment();
        inHand.decrement();
    }

    /// Its connection is gone.
    void abandoned() {
        inHand.decrement();
    }

    /// How many messages are received and not answered.
    long inHand() {
        return inHand.sum();
    }

    long messages() {
        return messages.sum();
    }

    /// `[elapsedMs] connections=N, messages=N`: those open now, and all that came so far.
    void print() {
        System.out.println(
                "[%d] connections=%d, messages=%d"
                        .formatted(elapsedMillis(), connections.sum(), messages.sum()));
    }

    /// How long it is until the next line is due: one for each full second since the start.
    long untilNextLineMillis() {
        return 1_000 - elapsedMillis() % 1_000;
    }

    long elapsedMillis() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
