package wallfinder.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Timeouts;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.Outside;

/// The counts of one engine thread. Counts that other threads can see only grow; the others restart
/// at the mark. Another thread sees the last published values.
@SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than the process
final class Tally {
    static final long NANOS_MAX = Timeouts.MAX.toNanos();

    static final int REQUESTS = 0;
    static final int ERRORS = 1;
    static final int GOOD = 2;
    static final int OPENED = 3;
    static final int RESPONSE_MICROS = 4;
    static final int OPEN = 5;
    static final int PUBLISHED = 6;

    static final int GOOD_ONES = 0;
    static final int BAD_ONES = 1;

    /// Linux repeats a SYN after 1 s (TCP_TIMEOUT_INIT, include/net/tcp.h), and at most doubles the
    /// wait each time.
    private static final long FIRST_REPEAT_NANOS = 1_000_000_000L;

    /// A status has three digits.
    static final int STATUSES = 1000;

    private static final int PHASES = ErrorPhase.values().length;
    private static final int DIGITS = 3;
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long NANOS_PER_MICRO = 1000;

    /// The response times of good answers only, like the service times.
    final Histogram responseNanos;

    final Histogram serviceNanos;
    final Histogram badNanos;
    final Histogram connectNanos;
    final Histogram batchNanos;
    final Histogram lateNanos;

    /// From one send of an open loop to the next.
    final Histogram gapNanos;

    /// Null if nobody asks for the order of the response times.
    final @Nullable ThinnedTimes thinned;

    final @Nullable TargetTally targets;
    final Pauses pauses = new Pauses();
    private final long[] published = new long[PUBLISHED];
    private final long[] errors = new long[ErrorKind.values().length];

    /// The same, but never reset, and visible to other threads at once.
    private final long[] failures = new long[errors.length];

    /// By kind and phase: `kind * PHASES + phase`.
    private final long[] phases = new long[errors.length * PHASES];

    private final boolean[] expected = new boolean[STATUSES];
    final long[] statuses = new long[STATUSES];
    final long[] badStatuses = new long[STATUSES];
    private long bad;
    private long responseNanosSum;
    private long answeredAtMark;
    private long markNanos = Long.MIN_VALUE;
    private long beginNanos = Long.MIN_VALUE;
    private long begunAtMark;
    private long openedAtMark;
    private long stopNanos = Long.MAX_VALUE;

    /// Parts of answers outside of the measured time, see [Outside].
    private final double[] partsOutside = new double[2];

    private double nanosOutside;

    /// Answers after the measured time, good ones and bad ones.
    private final double[] after = new double[2];

    /// Whether the first request of an open loop has come due.
    volatile boolean scheduled;

    long begun;
    long answered;
    long failed;
    long opened;
    long open;
    long bytes;
    long redirects;
    long repeated;
    long waited;
    long failedNanos;

    static Histogram histogram() {
        return histogram(DIGITS);
    }

    static Histogram histogram(int digits) {
        return new Histogram(NANOS_MAX, digits);
    }

    /// @param targets null if several requests are not counted separately
    Tally(@Nullable TargetTally targets, Expectation expect) {
        this(targets, expect, DIGITS, new ThinnedTimes());
    }

    /// For connections that are held.
    ///
    /// @param digits of the histograms: 1.6 MB in total with 3, a seventh of that with 2
    Tally(int digits) {
        this(null, Expectation.DEFAULT, digits, null);
    }

    private Tally(
            @Nullable TargetTally targets,
            Expectation expect,
            int digits,
            @Nullable ThinnedTimes thinned) {
        this.targets = targets;
        this.thinned = thinned;
        for (int status = 0; status < STATUSES; status++) {
            expected[status] = expect.expects(status);
        }
        responseNanos = histogram(digits);
        serviceNanos = histogram(digits);
        connectNanos = histogram(digits);
        badNanos = histogram(digits);
        batchNanos = histogram(digits);
        lateNanos = histogram(digits);
        gapNanos = histogram(digits);
    }

    void answered(Exchange exchange, long nowNanos) {
        ResponseParser parser = exchange.parser;
        int status = parser.status();
        long response = nowNanos - exchange.dueNanos;
        statuses[status]++;
        if (status >= 300 && status < 400) {
            redirects++;
        }
        boolean good = expected[status] && parser.bodyExpected();
        if (exchange.dueNanos < markNanos || nowNanos > stopNanos) {
            outside(exchange.dueNanos, nowNanos, good ? GOOD_ONES : BAD_ONES);
        }
        if (good) {
            good(exchange, nowNanos);
        } else if (expected[status]) {
            bad(exchange.target, ErrorKind.UNEXPECTED_BODY, response);
        } else {
            badStatuses[status]++;
            bad(exchange.target, ErrorKind.ofStatus(status), response);
        }
    }

    /// Counts what lies outside of the measured time.
    void outside(long dueNanos, long nowNanos, int which) {
        after[which] += nowNanos > stopNanos ? 1 : 0;
        double whole = Math.max(1, nowNanos - dueNanos);
        double inside = Math.min(nowNanos, stopNanos) - Math.max(dueNanos, markNanos);
        double outside = whole - Math.max(0, inside);
        partsOutside[which] += outside / whole;
        nanosOutside += outside;
    }

    private void good(Exchange exchange, long nowNanos) {
        long response = nowNanos - exchange.dueNanos;
        if (targets != null) {
            targets.answered(exchange.target, response);
        }
        if (thinned != null) {
            thinned.add(nowNanos, response);
        }
        answered(response, nowNanos - exchange.sentNanos);
    }

    private void bad(int target, ErrorKind kind, long response) {
        if (targets != null) {
            targets.bad(target, kind);
        }
        answered++;
        bad++;
        count(kind);
        responseNanosSum += response;
        badNanos.recordValue(Math.clamp(response, 0, NANOS_MAX));
    }

    private void count(ErrorKind kind) {
        int index = kind.ordinal();
        errors[index]++;
        LONGS.setOpaque(failures, index, failures[index] + 1);
    }

    /// All failures of a kind so far.
    long failures(ErrorKind kind) {
        return (long) LONGS.getOpaque(failures, kind.ordinal());
    }

    /// Counts a good answer.
    void answered(long response, long service) {
        answered++;
        responseNanosSum += response;
        responseNanos.recordValue(Math.clamp(response, 0, NANOS_MAX));
        serviceNanos.recordValue(Math.clamp(service, 0, NANOS_MAX));
    }

    /// Counts requests that were due and found no free connection.
    void neverSent(long count) {
        begun += count;
        waited += count;
    }

    void late(long nanos) {
        lateNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
    }

    /// A request of an open loop goes now.
    void goes(long nowNanos) {
        if (beginNanos > markNanos) {
            gapNanos.recordValue(Math.clamp(nowNanos - beginNanos, 0, NANOS_MAX));
        }
        beginNanos = nowNanos;
    }

    void failed(Exchange exchange, ErrorKind kind, long nowNanos) {
        if (targets != null) {
            targets.failed(exchange.target, kind);
        }
        failed(kind, FailureKinds.phase(exchange), nowNanos - exchange.dueNanos);
    }

    /// Counts a failure that belongs to no particular request.
    void failed(ErrorKind kind, ErrorPhase phase, long nanos) {
        failed++;
        failedNanos += nanos;
        count(kind);
        phases[kind.ordinal() * PHASES + phase.ordinal()]++;
    }

    /// A connection is established. Its connect time counts from the mark. A connect that began
    /// before the mark counts only if the kernel certainly dropped its handshake again after the
    /// mark, because the kernel counted earlier drops before the mark.
    void connected(long begunNanos, long nowNanos) {
        opened++;
        open++;
        long nanos = nowNanos - Math.max(begunNanos, markNanos);
        if (begunNanos >= markNanos || nanos >= markNanos - begunNanos + FIRST_REPEAT_NANOS) {
            connectNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
        }
    }

    void batch(long nanos) {
        batchNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
    }

    /// Begins to measure. Requests in flight count as begun now.
    void mark(long nanos) {
        markNanos = nanos;
        begunAtMark = answered + failed;
        answeredAtMark = answered;
        openedAtMark = opened;
        bytes = 0;
        redirects = 0;
        repeated = 0;
        waited = 0;
        failedNanos = 0;
        Arrays.fill(partsOutside, 0);
        nanosOutside = 0;
        Arrays.fill(errors, 0);
        Arrays.fill(statuses, 0);
        Arrays.fill(badStatuses, 0);
        Arrays.fill(phases, 0);
        responseNanos.reset();
        serviceNanos.reset();
        badNanos.reset();
        connectNanos.reset();
        batchNanos.reset();
        lateNanos.reset();
        gapNanos.reset();
        if (thinned != null) {
            thinned.reset();
        }
        if (targets != null) {
            targets.mark();
        }
    }

    /// The measured time ends.
    void stop(long nanos) {
        stopNanos = nanos;
    }

    Outside partsOutside() {
        return new Outside(partsOutside[GOOD_ONES], partsOutside[BAD_ONES], nanosOutside);
    }

    Outside after() {
        return new Outside(after[GOOD_ONES], after[BAD_ONES], 0);
    }

    long begunSinceMark() {
        return begun - begunAtMark;
    }

    long answeredSinceMark() {
        return answered - answeredAtMark;
    }

    long openedSinceMark() {
        return opened - openedAtMark;
    }

    long errors(ErrorKind kind) {
        return errors[kind.ordinal()];
    }

    /// Leaves out bad answers, which belong to no phase.
    long errors(ErrorKind kind, ErrorPhase phase) {
        return phases[kind.ordinal() * PHASES + phase.ordinal()];
    }

    /// Makes the counts visible to other threads, without a fence.
    void publish() {
        LONGS.setOpaque(published, REQUESTS, answered);
        LONGS.setOpaque(published, ERRORS, failed);
        LONGS.setOpaque(published, OPENED, opened);
        LONGS.setOpaque(published, RESPONSE_MICROS, responseNanosSum / NANOS_PER_MICRO);
        LONGS.setOpaque(published, OPEN, open);
        LONGS.setOpaque(published, GOOD, answered - bad);
    }

    long published(int which) {
        return (long) LONGS.getOpaque(published, which);
    }
}
