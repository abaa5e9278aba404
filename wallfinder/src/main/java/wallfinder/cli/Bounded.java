package wallfinder.cli;

import java.time.Duration;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;

/// Reads the values of options that have bounds.
final class Bounded {
    private Bounded() {}

    /// A whole number from 1 to `most`.
    static int count(String option, String text, int most) {
        long count = Quantity.count(text);
        if (count < 1 || count > most) {
            throw new UsageException(
                    option + " " + text + " cannot be used",
                    "it is not between 1 and " + most,
                    "give another number");
        }
        return (int) count;
    }

    /// A time longer than zero.
    static Duration duration(String option, String text) {
        Duration time = Quantity.duration(text);
        if (time.isZero() || time.isNegative()) {
            throw new UsageException(
                    option + " " + text + " cannot be used", "it is no time", "give one as in 30s");
        }
        return time;
    }
}
