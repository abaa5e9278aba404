package wallfinder.observation;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/// The names of all declared figures. They cannot be in [Key], which is initialized before its
/// enums have their values.
final class KeyNames {
    private static final Map<String, Key> SINGLE = declared(Key.class, Key::text);
    private static final Map<String, Figure> OF_MANY =
            declared(Figure.class, figure -> figure.form().text());

    private KeyNames() {}

    /// The constants of all enums that a sealed interface permits.
    private static <T> Map<String, T> declared(Class<T> type, Function<T, String> name) {
        return Stream.of(type.getPermittedSubclasses())
                .filter(Class::isEnum)
                .flatMap(family -> Stream.of(family.getEnumConstants()))
                .map(type::cast)
                .collect(toMap(name, identity()));
    }

    static Key parse(String text) {
        int open = text.indexOf('[');
        int close = text.lastIndexOf(']');
        Figure figure =
                open < 0 || close < open
                        ? null
                        : OF_MANY.get(text.substring(0, open + 1) + text.substring(close));
        return figure == null
                ? SINGLE.getOrDefault(text, new KernelCounter(text))
                : figure.of(text.substring(open + 1, close));
    }
}
