package wallfinder.experiment;

import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The `{names}` in commands, URLs and similar texts. Braces around anything but a name are plain
/// text, so JSON and regular expressions do not change.
public final class Placeholders {
    /// Names that every text may use, in addition to knobs.
    public static final List<String> RESERVED =
            List.of("server", "client", "jvm", "clientJvm", "home");

    private static final List<String> ADDRESSES = List.of("server", "client");

    private static final Pattern NAME = Pattern.compile("\\{([A-Za-z][A-Za-z0-9_.-]{0,79})}");

    private Placeholders() {}

    /// The names in a text, in order.
    public static List<String> names(String text) {
        return NAME.matcher(text).results().map(result -> result.group(1)).toList();
    }

    /// Replaces each `{name}` by its value. Names in values are not replaced.
    ///
    /// @throws IllegalArgumentException for a name without a value; the readers check all names
    public static String fill(String text, Map<String, String> values) {
        return NAME.matcher(text)
                .replaceAll(match ->
                        Matcher.quoteReplacement(
                                inPlace(
                                        text,
                                        match.start(),
                                        match.group(1),
                                        value(match, values))));
    }

    /// A URL has an IPv6 address in brackets: `http://[2001:2::1]:8080/`.
    ///
    /// @param at where the name begins in the text
    static String inPlace(String text, int at, String name, String value) {
        boolean address = ADDRESSES.contains(name) && value.indexOf(':') >= 0;
        return address && text.startsWith("//", at - 2) ? "[" + value + "]" : value;
    }

    private static String value(MatchResult match, Map<String, String> values) {
        String value = values.get(match.group(1));
        if (value == null) {
            throw new IllegalArgumentException("no value for {" + match.group(1) + "}");
        }
        return value;
    }
}
