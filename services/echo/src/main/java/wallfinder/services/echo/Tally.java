package wallfinder.services.echo;

import java.util.concurrent.atomic.LongAdder;

/// What both programs count and print.
final class Tally {
    private final long startNanos = System.nanoTime();
    private final LongAdder connections = new LongAdder();
    private final LongAdder messages = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder bytesAnswered = new LongAdder();

    void connected() {
        connections.increment();
    }

    void disconnected() {
        connections.decrement();
    }

    void exchanged() {
        messages.increment();
    }

    void received(int bytes) {
        bytesReceived.add(bytes);
    }

    void answered(int bytes) {
        bytesAnswered.add(bytes);
        messages.increment();
    }

    /// In this order: an answer that is counted meanwhile must not hide a message that is not
    /// answered.
    long bytesUnanswered() {
        long answered = bytesAnswered.sum();
        return bytesReceived.sum() - answered;
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
