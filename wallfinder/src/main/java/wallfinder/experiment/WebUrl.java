package wallfinder.experiment;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A URL in two parts. The second may contain variables.
///
/// @param base the scheme, the host and the port, as in `http://127.0.0.1:8080`
/// @param path with the query; begins with `/`
public record WebUrl(String base, String path) {
    private static final String SCHEME_END = "://";

    /// Splits a URL without checking its base.
    public static WebUrl split(String url) {
        int scheme = url.indexOf(SCHEME_END);
        int end = scheme < 0 ? 0 : scheme + SCHEME_END.length();
        while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        return new WebUrl(url.substring(0, end), path(url.substring(end)));
    }

    static boolean isWhole(String url) {
        return url.contains(SCHEME_END);
    }

    /// Clients do not send the fragment.
    private static String path(String text) {
        int fragment = text.indexOf('#');
        String sent = fragment < 0 ? text : text.substring(0, fragment);
        return sent.startsWith("/") ? sent : "/" + sent;
    }

    /// Why a path cannot be requested, or null if it can.
    public static @Nullable String problem(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c == 0x7f) {
                return c == ' ' ? "it contains a space" : "it contains a control character";
            }
        }
        return null;
    }

    boolean sameHost(WebUrl other) {
        return normal(base).equals(normal(other.base));
    }

    private static String normal(String base) {
        String lower = base.toLowerCase(Locale.ROOT);
        String port = lower.startsWith("https:") ? ":443" : ":80";
        return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
    }
}
