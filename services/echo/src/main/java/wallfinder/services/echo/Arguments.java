package wallfinder.services.echo;

/// Arguments that are known by their place. Each one may be left out with all that follow it.
final class Arguments {
    private final String[] given;
    private int next;

    /// @throws IllegalArgumentException if there are more than can have a meaning
    Arguments(int countMax, String... given) {
        if (given.length > countMax) {
            throw new IllegalArgumentException(
                    "%d arguments at most, not %d: nothing is known of '%s'"
                            .formatted(countMax, given.length, given[countMax]));
        }
        this.given = given.clone();
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
        String value = text(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, with the range.
        }
        throw new IllegalArgumentException(
                "%s must be a number from %d to %d, not '%s'".formatted(name, min, max, value));
    }

    /// One error, the usage, and the status that a wrong use has.
    static void refuse(String program, IllegalArgumentException wrong, String usage) {
        System.err.println(program + ": " + wrong.getMessage());
        System.err.println(usage);
        System.exit(2);
    }
}
