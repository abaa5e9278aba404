package wallfinder.experiment;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A text with variables, which have another value in each request: `{counter}` numbers the
/// requests that use it, with each number once in a run; `{random:1-1000}` is a random whole number
/// in this range. A backslash escapes a variable. Braces around anything else are plain text.
public record Template(List<Part> parts) {
    static final List<String> VARIABLES = List.of("counter", "random");

    private static final String COUNTER = "counter";
    private static final String RANDOM = "random:1-1000";
    private static final Pattern VARIABLE =
            Pattern.compile(
                    "(\\\\?)\\{([A-Za-z][A-Za-z0-9_.-]{0,79})(?::([A-Za-z0-9_.-]{0,80}))?}");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,18})-(\\d{1,18})");

    public sealed interface Part {}

    public record Text(String text) implements Part {}

    public record Counter() implements Part {}

    /// @param max no less than `min`
    public record Random(long min, long max) implements Part {}

    public Template {
        parts = List.copyOf(parts);
    }

    public static Template parse(String text) {
        return parse(text, List.of());
    }

    /// @param names other names in braces, which do not change
    /// @throws UsageException for an unknown name
    static Template parse(String text, Collection<String> names) {
        List<Part> parts = new ArrayList<>();
        StringBuilder plain = new StringBuilder();
        Matcher variable = VARIABLE.matcher(text);
        int at = 0;
        while (variable.find()) {
            plain.append(text, at, variable.start());
            at = variable.end();
            Part part = part(variable, names);
            if (part instanceof Text(String same)) {
                plain.append(same);
            } else {
                addText(parts, plain);
                parts.add(part);
            }
        }
        addText(parts, plain.append(text, at, text.length()));
        return new Template(parts);
    }

    private static void addText(List<Part> parts, StringBuilder plain) {
        if (!plain.isEmpty()) {
            parts.add(new Text(plain.toString()));
            plain.setLength(0);
        }
    }

    private static Part part(Matcher variable, Collection<String> names) {
        String whole = variable.group();
        String name = variable.group(2);
        String value = variable.group(3);
        if (!variable.group(1).isEmpty()) {
            return new Text(whole.substring(1));
        }
        if (value == null && names.contains(name)) {
            return new Text(whole);
        }
        return switch (name) {
            case COUNTER -> counter(whole, value);
            case "random" -> random(whole, value);
            default -> throw unknown(whole, name, names);
        };
    }

    private static Part counter(String whole, @Nullable String value) {
        if (value != null) {
            throw wrong(whole, "a counter takes no value", "write {counter}");
        }
        return new Counter();
    }

    private static Part random(String whole, @Nullable String value) {
        Matcher range = RANGE.matcher(value == null ? "" : value);
        if (!range.matches()) {
            throw wrong(whole, "it needs two whole numbers", "write it as in {random:1-1000}");
        }
        Random random = new Random(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)));
        if (random.min > random.max) {
            throw wrong(whole, "the first number is the larger", "put the smaller one first");
        }
        return random;
    }

    private static UsageException unknown(String whole, String name, Collection<String> names) {
        List<String> known = new ArrayList<>(names);
        known.add(COUNTER);
        known.add(RANDOM);
        String nearest = name.length() > 2 && "random".startsWith(name) ? RANDOM : name;
        return wrong(
                whole,
                "there is no variable '" + name + "'",
                Nearest.advice(nearest, known) + ". To send it unchanged, write \\" + whole);
    }

    private static UsageException wrong(String whole, String why, String todo) {
        return new UsageException(whole + " cannot be filled in", why, todo);
    }

    /// Fills in the values of some names. Variables and unknown names do not change.
    static String fill(String text, Map<String, String> values) {
        return VARIABLE.matcher(text)
                .replaceAll(found -> {
                    boolean plain = found.group(1).isEmpty() && found.group(3) == null;
                    String value = plain ? values.get(found.group(2)) : null;
                    return Matcher.quoteReplacement(
                            value == null
                                    ? found.group()
                                    : Placeholders.inPlace(
                                            text, found.start(), found.group(2), value));
                });
    }
}
