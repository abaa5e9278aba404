package wallfinder.observation;

import java.util.Locale;

/// The good answers by response time, in buckets. The subject is where a bucket begins, in
/// microseconds: `load.responses[1154.8]` has the answers from there to the next bucket, 15 % on.
/// The first bucket also has all faster answers.
public enum ResponseFigure implements Figure {
    COUNT(Form.total("load.responses[]", Unit.COUNT));

    private static final int PER_DECADE = 16;

    /// The number of the bucket from 10 us on.
    public static final int FIRST = 4 * PER_DECADE;

    /// The number after that of the last bucket, which has the longest time that is counted, 600 s.
    public static final int END = 189;

    private final Form form;

    ResponseFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }

    public static Key of(int bucket) {
        return COUNT.of(String.format(Locale.ROOT, "%.1f", nanos(bucket) / 1e3));
    }

    /// Where a bucket begins.
    public static double nanos(double bucket) {
        return Math.pow(10, bucket / PER_DECADE);
    }
}
