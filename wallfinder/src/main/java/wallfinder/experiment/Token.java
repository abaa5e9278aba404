package wallfinder.experiment;

import java.util.regex.Pattern;

/// Tokens of HTTP, such as methods and names of headers (RFC 9110, section 5.6.2).
final class Token {
    private static final int LENGTH_MAX = 200;
    private static final Pattern FORM = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private Token() {}

    static boolean is(String text) {
        return text.length() <= LENGTH_MAX && FORM.matcher(text).matches();
    }
}
