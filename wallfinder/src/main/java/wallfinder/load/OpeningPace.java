package wallfinder.load;

/// How many connections begin before the engine looks at what has happened.
final class OpeningPace {
    /// A connect on this host takes some 25 us: no connect time is too long by more than half a
    /// millisecond.
    private static final int AT_ONCE = 16;

    /// And one more for so many answers since the last look: those that stand keep the engine busy,
    /// and must not hold up the others.
    private static final int ANSWERS_EACH = 4;

    private long answeredBefore;

    /// @param answered how many answers have come so far
    long next(long answered) {
        long more = AT_ONCE + (answered - answeredBefore) / ANSWERS_EACH;
        answeredBefore = answered;
        return more;
    }
}
