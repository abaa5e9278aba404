package wallfinder.services.echo;

import java.util.concurrent.atomic.LongAdder;

/// The counts that both programs print.
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

    /// Called when a connection ends before its answer is sent.
    void abandoned() {
        inHand.decrement();
    }

    /// The number of received messages without an answer.
    long inHand() {
        return inHand.sum();
    }

    long messages() {
        return messages.sum();
    }

    /// Prints `[elapsedMs] connections=N, messages=N`: the open connections, and all messages so
    /// far.
    void print() {
        System.out.println(
                "[%d] connections=%d, messages=%d"
                        .formatted(elapsedMillis(), connections.sum(), messages.sum()));
    }

    /// The time until the next line is due. There is one line for each full second since the start.
    long untilNextLineMillis() {
        return 1_000 - elapsedMillis() % 1_000;
    }

    long elapsedMillis() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
