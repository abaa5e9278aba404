package wallfinder.observation;

/// Every n-th value of a series, in the order in which the values occurred. A histogram has all
/// values but no order, which the error of a percentile depends on.
///
/// @param stride n
/// @param values never changed
@SuppressWarnings("ArrayRecordComponent") // read-only, never compared
public record Thinned(long stride, long[] values) {
    public static final Thinned NONE = new Thinned(1, new long[0]);
}
