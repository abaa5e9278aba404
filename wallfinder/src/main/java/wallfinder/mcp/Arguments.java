package wallfinder.mcp;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import wallfinder.experiment.Nearest;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;
import wallfinder.mcp.Parameter.Count;
import wallfinder.mcp.Parameter.Flag;
import wallfinder.mcp.Parameter.Text;
import wallfinder.mcp.Parameter.Texts;

/// The arguments of one call, checked.
final class Arguments {
    private final Map<String, Object> values;

    private Arguments(Map<String, Object> values) {
        this.values = values;
    }

    /// @throws UsageException if an argument is unknown, missing, or of another kind
    static Arguments of(
            Map<String, Object> values, List<Parameter> parameters, List<String> required) {
        List<String> names = parameters.stream().map(Parameter::name).toList();
        for (String name : new TreeSet<>(values.keySet())) {
            if (!names.contains(name)) {
                throw new UsageException(
                        "the tool has no argument \"" + shown(name) + "\"",
                        "its arguments are " + String.join(", ", names),
                        Nearest.advice(shown(name), names));
            }
        }
        for (Parameter parameter : parameters) {
            Object value = values.get(parameter.name());
            if (value != null) {
                check(parameter, value);
            } else if (required.contains(parameter.name())) {
                throw new UsageException(
                        "the argument " + parameter.name() + " is missing",
                        "the tool cannot work without it",
                        "give it: " + parameter.description());
            }
        }
        return new Arguments(values);
    }

    private static void check(Parameter parameter, Object value) {
        switch (parameter.kind()) {
            case Text _ -> require(parameter, isText(value), "it is no text, or too long");
            case Flag _ ->
                    require(parameter, value instanceof Boolean, "it is neither true nor false");
            case Count count ->
                    require(
                            parameter,
                            value instanceof Number number
                                    && number.doubleValue() == number.longValue()
                                    && number.longValue() >= count.least()
                                    && number.longValue() <= count.most(),
                            "it is no whole number from " + count.least() + " to " + count.most());
            case Texts _ ->
                    require(
                            parameter,
                            value instanceof List<?> list
                                    && list.size() <= Parameter.TEXTS_MAX
                                    && list.stream().allMatch(Arguments::isText),
                            "it is no list of at most " + Parameter.TEXTS_MAX + " texts");
        }
    }

    /// No text of a command line contains NUL.
    private static boolean isText(Object value) {
        return value instanceof String text
                && text.length() <= Parameter.TEXT_CHARS_MAX
                && text.indexOf('\0') < 0;
    }

    private static void require(Parameter parameter, boolean holds, String why) {
        if (!holds) {
            throw new UsageException(
                    "the argument " + parameter.name() + " cannot be used",
                    why,
                    "give it as: " + parameter.description());
        }
    }

    private static String shown(String name) {
        return name.substring(0, Math.min(40, name.length()));
    }

    Optional<String> text(String name) {
        return Optional.ofNullable((String) values.get(name));
    }

    /// An argument that [#of] required.
    String needed(String name) {
        return Objects.requireNonNull((String) values.get(name));
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    Optional<Integer> count(String name) {
        return Optional.ofNullable((Number) values.get(name)).map(Number::intValue);
    }

    boolean flag(String name, boolean otherwise) {
        return Objects.requireNonNullElse((Boolean) values.get(name), otherwise);
    }

    List<String> texts(String name) {
        List<?> list = Objects.requireNonNullElse((List<?>) values.get(name), List.of());
        return list.stream().map(String.class::cast).toList();
    }

    /// A time that is longer than zero and no longer than `most`.
    Duration duration(String name, Duration otherwise, Duration most) {
        Duration time = text(name).map(Quantity::duration).orElse(otherwise);
        if (time.isZero() || time.compareTo(most) > 0) {
            throw new UsageException(
                    "the argument " + name + " cannot be used",
                    "it must be longer than 0 and at most " + most.toSeconds() + " s",
                    "give a time such as 10s; the operator of this server can raise the limit"
                            + " (--max-duration)");
        }
        return time;
    }
}
