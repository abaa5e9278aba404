package wallfinder.load;

/// How many connections begin before the engine looks at events again.
final class OpeningPace {
    /// A connect takes about 25 us where this was measured, so recorded connect times are at most
    /// half a millisecond too long.
    private static final int AT_ONCE = 16;

    /// One more connection for this many answers since the last look: established connections keep
    /// the engine busy and must not delay the others.
    private static final int ANSWERS_EACH = 4;

    private long answeredBefore;

    /// @param answered total answers so far
    long next(long answered) {
        long more = AT_ONCE + (answered - answeredBefore) / ANSWERS_EACH;
        answeredBefore = answered;
        return more;
    }
}
