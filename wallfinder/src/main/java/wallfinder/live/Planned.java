package wallfinder.live;

import java.time.Duration;

/// How long something takes, on the clock of [System#nanoTime].
///
/// @param nanos from its start to its planned end; 0 if nobody knows its end
/// @param bound what the end is
public record Planned(long startNanos, long nanos, Bound bound) {
    private static final String LONGER = "longer than estimated";

    public enum Bound {
        /// The end is planned.
        EXACT,

        /// It may end earlier.
        AT_MOST,

        /// An estimate from what was measured before.
        ABOUT,

        /// The same, and it may end earlier.
        UP_TO_ABOUT,

        /// It cannot end earlier.
        AT_LEAST,
        UNKNOWN
    }

    public static Planned exactly(long startNanos, Duration time) {
        return new Planned(startNanos, time.toNanos(), Bound.EXACT);
    }

    public static Planned atMost(long startNanos, Duration time) {
        return new Planned(startNanos, time.toNanos(), Bound.AT_MOST);
    }

    /// @param leftSeconds from now on
    public static Planned estimated(
            long startNanos, long nowNanos, double leftSeconds, Bound bound) {
        return new Planned(startNanos, nowNanos - startNanos + (long) (leftSeconds * 1e9), bound);
    }

    public static Planned unknown(long startNanos) {
        return new Planned(startNanos, 0, Bound.UNKNOWN);
    }

    double share(long nowNanos) {
        return nanos <= 0 ? 0 : Math.clamp((nowNanos - startNanos) / (double) nanos, 0, 1);
    }

    /// `18 s left`, `at most 18 s left`, or the time since the start.
    String text(long nowNanos) {
        long left = Math.max(0, startNanos + nanos - nowNanos);
        return switch (bound) {
            case EXACT -> clock(left) + " left";
            case AT_MOST -> "at most " + clock(left) + " left";
            case ABOUT -> left == 0 ? LONGER : "about " + clock(left) + " left";
            case UP_TO_ABOUT -> left == 0 ? LONGER : "up to about " + clock(left) + " left";
            case AT_LEAST -> left == 0 ? LONGER : "at least " + clock(left) + " left";
            case UNKNOWN -> "for " + clock(nowNanos - startNanos);
        };
    }

    /// `18 s`, `3 min 05 s` or `2 h 07 min`.
    static String clock(long nanos) {
        long seconds = Math.ceilDiv(Math.max(0, nanos), 1_000_000_000L);
        if (seconds < 60) {
            return seconds + " s";
        }
        long minutes = seconds / 60;
        return minutes < 60
                ? "%d min %02d s".formatted(minutes, seconds % 60)
                : "%d h %02d min".formatted(minutes / 60, minutes % 60);
    }
}
