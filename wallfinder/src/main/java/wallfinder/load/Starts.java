package wallfinder.load;

/// How many connections begin at a time, until all have.
final class Starts {
    /// So many begin before the engine looks at what has happened: a connect on this host takes
    /// some 25 us, so that no connect time is too long by more than half a millisecond.
    private static final int AT_ONCE = 16;

    /// And one more for so many answers since the last look: those that stand keep the engine busy,
    /// and must not hold up the others.
    private static final int ANSWERS_A_START = 4;

    private int count;
    private long answeredBefore;

    /// How many may begin now.
    ///
    /// @param answered how many answers there have been
    long most(long answered) {
        long most = AT_ONCE + (answered - answeredBefore) / ANSWERS_A_START;
        answeredBefore = answered;
        return most;
    }

    /// The next one to begin.
    int next() {
        return count++;
    }

    /// How many have begun.
    int count() {
        return count;
    }
}
