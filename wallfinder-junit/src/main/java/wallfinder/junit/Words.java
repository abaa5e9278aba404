package wallfinder.junit;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The constants of enums as words of `run.json`.
final class Words {
    private Words() {}

    /// `accept-queue` of `ACCEPT_QUEUE`.
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The constant of a word, or null if there is none.
    static <E extends Enum<E>> @Nullable E constant(Class<E> type, String word) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> of(constant).equals(word))
                .findFirst()
                .orElse(null);
    }
}
