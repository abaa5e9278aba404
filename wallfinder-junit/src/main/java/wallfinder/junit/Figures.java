package wallfinder.junit;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// How figures look in messages.
final class Figures {
    private static final double NANOS_PER_MILLI = 1e6;

    private Figures() {}

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, "%,.1f", perSecond);
    }

    static String time(Duration time) {
        return String.format(Locale.ROOT, "%,.2f ms", time.toNanos() / NANOS_PER_MILLI);
    }

    static String counts(Map<String, Long> errors) {
        return errors.isEmpty()
                ? "none"
                : errors.entrySet().stream()
                        .map(kind -> kind.getValue() + " " + kind.getKey())
                        .collect(Collectors.joining(", "));
    }
}
