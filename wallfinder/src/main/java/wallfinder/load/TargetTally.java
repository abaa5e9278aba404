package wallfinder.load;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.ErrorKind;

/// What one engine thread counts of each of several requests, from the mark on. All is made before
/// the load, so that nothing is allocated for a request.
@SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than the process
final class TargetTally {
    /// Of more requests nothing is kept for each: 35 KB a thread for one.
    static final int TARGETS_MAX = 100;

    /// Within a hundredth.
    private static final int DIGITS = 2;

    private static final int KINDS = ErrorKind.values().length;

    private final long[] answered;
    private final long[] errors;
    private final Histogram[] responseNanos;

    private TargetTally(int targets) {
        answered = new long[targets];
        errors = new long[targets * KINDS];
        responseNanos = new Histogram[targets];
        Arrays.setAll(responseNanos, _ -> histogram());
    }

    /// Null where there is only one request, or too many.
    static @Nullable TargetTally of(RequestMix mix) {
        int targets = mix.requests().size();
        return targets < 2 || targets > TARGETS_MAX ? null : new TargetTally(targets);
    }

    static Histogram histogram() {
        return new Histogram(Tally.NANOS_MAX, DIGITS);
    }

    /// A good answer.
    void answered(int target, long response) {
        answered[target]++;
        responseNanos[target].recordValue(Math.clamp(response, 0, Tally.NANOS_MAX));
    }

    /// A complete answer that is not good.
    void bad(int target, ErrorKind kind) {
        answered[target]++;
        failed(target, kind);
    }

    void failed(int target, ErrorKind kind) {
        errors[target * KINDS + kind.ordinal()]++;
    }

    /// Begins to measure.
    void mark() {
        Arrays.fill(answered, 0);
        Arrays.fill(errors, 0);
        for (Histogram histogram : responseNanos) {
            histogram.reset();
        }
    }

    long answered(int target) {
        return answered[target];
    }

    Histogram responseNanos(int target) {
        return responseNanos[target];
    }

    SortedMap<String, Long> errors(int target) {
        SortedMap<String, Long> words = new TreeMap<>();
        for (ErrorKind kind : ErrorKind.values()) {
            long count = errors[target * KINDS + kind.ordinal()];
            if (count > 0) {
                words.put(kind.word(), count);
            }
        }
        return words;
    }
}
