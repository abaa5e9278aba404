package wallfinder.live;

import wallfinder.record.NumberText;

/// A figure of the last interval. The view draws its course over the intervals before.
///
/// @param value `NaN` if the interval has none, such as a percentile without answers
public record Gauge(String name, Kind kind, double value) {
    public enum Kind {
        PER_SECOND,
        NANOS,
        COUNT,

        /// A number that should be zero.
        FAILURES,
        BYTES
    }

    String text() {
        if (!Double.isFinite(value)) {
            return "-";
        }
        return switch (kind) {
            case PER_SECOND, COUNT, FAILURES -> NumberText.number(value, ",");
            case NANOS -> NumberText.millis(value);
            case BYTES -> NumberText.bytes(value);
        };
    }

    Tone tone() {
        return kind == Kind.FAILURES && value > 0 ? Tone.BAD : Tone.STRONG;
    }

    Tone courseTone() {
        return tone() == Tone.BAD ? Tone.BAD : Tone.GOOD;
    }
}
