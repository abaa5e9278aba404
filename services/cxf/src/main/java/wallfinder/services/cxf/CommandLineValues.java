package wallfinder.services.cxf;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The options of a command line, each `--name=value`. A caller takes them one by one; the
/// remaining ones are unknown. Nothing is read from the environment, so the command alone describes
/// a trial.
final class CommandLineValues {
    private static final Pattern TIME = Pattern.compile("(\\d+)(ms|s|m|h)");

    private final Map<String, String> values = new HashMap<>();

    CommandLineValues(String... words) {
        for (String word : words) {
            int equals = word.indexOf('=');
            if (!word.startsWith("--") || equals == 2) {
                throw new IllegalArgumentException(
                        "not an option of the form --name=value: " + word);
            }
            values.put(
                    equals < 0 ? word.substring(2) : word.substring(2, equals),
                    equals < 0 ? "true" : word.substring(equals + 1));
        }
    }

    String text(String name, String otherwise) {
        String value = values.remove(name);
        return value == null ? otherwise : value;
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /// Whether `--name` or `--name=true` is given.
    boolean flag(String name) {
        return oneOf(name, List.of("false", "true")).equals("true");
    }

    /// The value, which must be one of these words; the first is the default.
    String oneOf(String name, List<String> known) {
        String value = text(name, known.get(0));
        if (!known.contains(value)) {
            throw new IllegalArgumentException(
                    "--%s must be one of %s, not %s"
                            .formatted(name, String.join(", ", known), value));
        }
        return value;
    }

    long number(String name, long otherwise, long min, long max) {
        String value = text(name, Long.toString(otherwise));
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // The error below gives the range.
        }
        throw new IllegalArgumentException(
                "--%s must be a number from %d to %d, not %s".formatted(name, min, max, value));
    }

    /// A time such as 500ms, 30s, 5m or 8h.
    Duration time(String name, String otherwise) {
        String value = text(name, otherwise);
        Matcher time = TIME.matcher(value);
        if (!time.matches()) {
            throw new IllegalArgumentException(
                    "--%s must be a time such as 500ms, 30s, 5m or 8h, not %s"
                            .formatted(name, value));
        }
        long number = number(name, time.group(1));
        return switch (time.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    private static long number(String name, String digits) {
        if (digits.length() > 9) {
            throw new IllegalArgumentException("--" + name + " is too long a time: " + digits);
        }
        return Long.parseLong(digits);
    }

    /// Fails if an option remains.
    void nothingElse() {
        if (!values.isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown option --" + values.keySet().iterator().next());
        }
    }
}
