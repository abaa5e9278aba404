package wallfinder.load;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.ErrorKind;

/// What one engine thread counts for each of several requests since the mark. Everything is
/// allocated before the load.
@SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than the process
final class TargetTally {
    /// The most requests that are counted separately; each takes 35 KB per thread.
    static final int TARGETS_MAX = 100;

    /// A precision of one percent.
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

    /// Null if there is only one request, or too many.
    static @Nullable TargetTally of(RequestMix mix) {
        int targets = mix.requests().size();
        return targets < 2 || targets > TARGETS_MAX ? null : new TargetTally(targets);
    }

    static Histogram histogram() {
        return new Histogram(Tally.NANOS_MAX, DIGITS);
    }

    void answered(int target, long response) {
        answered[target]++;
        responseNanos[target].recordValue(Math.clamp(response, 0, Tally.NANOS_MAX));
    }

    /// Counts a complete answer that is not good.
    void bad(int target, ErrorKind kind) {
        answered[target]++;
        failed(target, kind);
    }

    void failed(int target, ErrorKind kind) {
        errors[target * KINDS + kind.ordinal()]++;
    }

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
