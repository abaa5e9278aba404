package wallfinder.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;

/// What one engine thread counts. It only grows; what was counted before the mark is taken off at
/// the end. Another thread sees only what was last published.
@SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than the process
final class Tally {
    /// The longest time that the histograms hold.
    static final long NANOS_MAX = 600_000_000_000L;

    static final int REQUESTS = 0;
    static final int ERRORS = 1;
    static final int OPENED = 2;
    static final int RESPONSE_MICROS = 3;
    static final int OPEN = 4;
    private static final int PUBLISHED = 5;

    private static final int PHASES = ErrorPhase.values().length;
    private static final int DIGITS = 3;
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long NANOS_PER_MICRO = 1000;

    final Histogram responseNanos;
    final Histogram serviceNanos;
    final Histogram connectNanos;
    final Histogram batchNanos;
    final Histogram lateNanos;
    final @Nullable TargetTally targets;
    private final long[] published = new long[PUBLISHED];
    private final long[] errors = new long[ErrorKind.values().length];
    private final long[] errorsAtMark = new long[errors.length];

    /// By kind and phase: `kind * PHASES + phase`.
    private final long[] phases = new long[errors.length * PHASES];

    private final long[] phasesAtMark = new long[phases.length];
    private long responseNanosSum;
    private long failedNanos;
    private long failedNanosAtMark;
    private long answeredAtMark;
    private long begunAtMark;
    private long openedAtMark;
    private long bytesAtMark;
    private long redirectsAtMark;
    private long repeatedAtMark;
    private long waitedAtMark;
    long begun;
    long answered;
    long failed;
    long opened;
    long open;
    long bytes;
    long redirects;
    long repeated;
    long waited;

    static Histogram histogram() {
        return histogram(DIGITS);
    }

    static Histogram histogram(int digits) {
        return new Histogram(NANOS_MAX, digits);
    }

    Tally() {
        this(null);
    }

    /// @param targets null if nothing is counted for each of several requests
    Tally(@Nullable TargetTally targets) {
        this(targets, DIGITS);
    }

    /// @param digits of the histograms: with 3 they are 1.2 MB together, with 2 a seventh of that
    Tally(@Nullable TargetTally targets, int digits) {
        this.targets = targets;
        responseNanos = histogram(digits);
        serviceNanos = histogram(digits);
        connectNanos = histogram(digits);
        batchNanos = histogram(digits);
        lateNanos = histogram(digits);
    }

    /// @param target which of several requests it was
    void answered(int target, int status, long response, long service) {
        if (targets != null) {
            targets.answered(target, status, response);
        }
        answered(response, service);
        if (status >= 400) {
            errors[(status < 500 ? ErrorKind.STATUS_4XX : ErrorKind.STATUS_5XX).ordinal()]++;
        } else if (status >= 300) {
            redirects++;
        }
    }

    void answered(long response, long service) {
        answered++;
        responseNanosSum += response;
        responseNanos.recordValue(Math.clamp(response, 0, NANOS_MAX));
        serviceNanos.recordValue(Math.clamp(service, 0, NANOS_MAX));
    }

    /// Requests that were due and found no connection.
    void neverSent(long count) {
        begun += count;
        waited += count;
    }

    void late(long nanos) {
        lateNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
    }

    void failed(Exchange exchange, ErrorKind kind, long nowNanos) {
        if (targets != null) {
            targets.failed(exchange.target, kind);
        }
        failed(kind, FailureKinds.phase(exchange), nowNanos - exchange.dueNanos);
    }

    /// Of no certain request.
    void failed(ErrorKind kind, ErrorPhase phase, long nanos) {
        failed++;
        failedNanos += nanos;
        errors[kind.ordinal()]++;
        phases[kind.ordinal() * PHASES + phase.ordinal()]++;
    }

    void connected(long nanos) {
        opened++;
        open++;
        connectNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
    }

    void batch(long nanos) {
        batchNanos.recordValue(Math.clamp(nanos, 0, NANOS_MAX));
    }

    /// Begins to measure. What is under way counts as begun now.
    void mark() {
        begunAtMark = answered + failed;
        answeredAtMark = answered;
        openedAtMark = opened;
        bytesAtMark = bytes;
        redirectsAtMark = redirects;
        repeatedAtMark = repeated;
        waitedAtMark = waited;
        failedNanosAtMark = failedNanos;
        System.arraycopy(errors, 0, errorsAtMark, 0, errors.length);
        System.arraycopy(phases, 0, phasesAtMark, 0, phases.length);
        responseNanos.reset();
        serviceNanos.reset();
        connectNanos.reset();
        batchNanos.reset();
        lateNanos.reset();
        if (targets != null) {
            targets.mark();
        }
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

    long bytesSinceMark() {
        return bytes - bytesAtMark;
    }

    long redirectsSinceMark() {
        return redirects - redirectsAtMark;
    }

    long repeatedSinceMark() {
        return repeated - repeatedAtMark;
    }

    long waitedSinceMark() {
        return waited - waitedAtMark;
    }

    long failedNanosSinceMark() {
        return failedNanos - failedNanosAtMark;
    }

    long errorsSinceMark(ErrorKind kind) {
        return errors[kind.ordinal()] - errorsAtMark[kind.ordinal()];
    }

    /// Without 4xx and 5xx, which are answers.
    long errorsSinceMark(ErrorKind kind, ErrorPhase phase) {
        int at = kind.ordinal() * PHASES + phase.ordinal();
        return phases[at] - phasesAtMark[at];
    }

    /// Lets other threads see the counts, without a fence.
    void publish() {
        LONGS.setOpaque(published, REQUESTS, answered);
        LONGS.setOpaque(published, ERRORS, failed);
        LONGS.setOpaque(published, OPENED, opened);
        LONGS.setOpaque(published, RESPONSE_MICROS, responseNanosSum / NANOS_PER_MICRO);
        LONGS.setOpaque(published, OPEN, open);
    }

    long published(int which) {
        return (long) LONGS.getOpaque(published, which);
    }
}
