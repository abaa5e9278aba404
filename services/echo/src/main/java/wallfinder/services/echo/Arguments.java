package wallfinder.services.echo;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Options, each `--name=value`, followed by positional arguments. A positional argument may be
/// left out together with all that follow it.
final class Arguments {
    private final Map<String, String> options = new HashMap<>();
    private final String[] given;
    private int next;

    /// @param known the names of the options
    /// @throws IllegalArgumentException if an option or argument is unknown
    Arguments(Set<String> known, int countMax, String... all) {
        int first = 0;
        while (first < all.length && all[first].startsWith("--")) {
            readOption(known, all[first++].substring(2));
        }
        given = Arrays.copyOfRange(all, first, all.length);
        if (given.length > countMax) {
            throw new IllegalArgumentException(
                    "%d arguments at most, not %d: nothing is known of '%s'"
                            .formatted(countMax, given.length, given[countMax]));
        }
    }

    private void readOption(Set<String> known, String option) {
        int end = option.indexOf('=');
        String name = end < 0 ? option : option.substring(0, end);
        if (!known.contains(name)) {
            throw new IllegalArgumentException("unknown option --" + name);
        }
        if (end < 0) {
            throw new IllegalArgumentException("--" + name + " needs a value, --" + name + "=…");
        }
        options.put(name, option.substring(end + 1));
    }

    /// An option whose value is the name of an enum constant.
    <E extends Enum<E>> E option(String name, E otherwise) {
        String value = options.getOrDefault(name, otherwise.name()).toUpperCase(Locale.ROOT);
        try {
            return Enum.valueOf(otherwise.getDeclaringClass(), value);
        } catch (IllegalArgumentException unknown) {
            String names = Arrays.toString(otherwise.getDeclaringClass().getEnumConstants());
            throw new IllegalArgumentException(
                    "--%s is one of %s, not '%s'"
                            .formatted(name, names.toLowerCase(Locale.ROOT), options.get(name)),
                    unknown);
        }
    }

    int option(String name, int otherwise, int min, int max) {
        String value = options.getOrDefault(name, Integer.toString(otherwise));
        return number("--" + name, value, min, max);
    }

    String text(String name, String otherwise) {
        String value = next < given.length ? given[next] : otherwise;
        next++;
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " is empty");
        }
        return value;
    }

    int number(String name, int otherwise, int min, int max) {
        return number(name, text(name, Integer.toString(otherwise)), min, max);
    }

    private static int number(String name, String value, int min, int max) {
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // The error below gives the range.
        }
        throw new IllegalArgumentException(
                "%s must be a number from %d to %d, not '%s'".formatted(name, min, max, value));
    }

    /// Prints the error and the usage, and exits with the status of a wrong use.
    static void refuse(String program, IllegalArgumentException wrong, String usage) {
        System.err.println(program + ": " + wrong.getMessage());
        System.err.println(usage);
        System.exit(2);
    }
}
