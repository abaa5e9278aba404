package wallfinder.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
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

    /// A whole number from 1 to `most`, or `otherwise` if the option was not given.
    static int count(String option, @Nullable String text, int most, int otherwise) {
        return text == null ? otherwise : count(option, text, most);
    }

    /// A time longer than zero, or `otherwise` if the option was not given.
    static Duration duration(String option, @Nullable String text, Duration otherwise) {
        return text == null ? otherwise : duration(option, text);
    }

    /// A time longer than zero.
    static Duration duration(String option, String text) {
        Duration time = Quantity.duration(text);
        if (time.isZero() || time.isNegative()) {
            throw new UsageException(
                    option + " " + text + " cannot be used",
                    "it must be longer than 0",
                    "give a time such as 30s");
        }
        return time;
    }
}
