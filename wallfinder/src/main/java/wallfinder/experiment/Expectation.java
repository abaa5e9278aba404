package wallfinder.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which answers are good. Rates, percentiles, objectives and gains count only these.
///
/// @param statuses codes such as `404`, and classes such as `2xx`; at least one
/// @param body text that the body of each good answer contains; null for any body
public record Expectation(List<String> statuses, @Nullable String body) {
    /// The default: success, or a redirect.
    public static final Expectation DEFAULT = new Expectation(List.of("2xx", "3xx"), null);

    private static final String CLASS = "xx";
    private static final String FORM = "[1-9](xx|[0-9][0-9])";

    public Expectation {
        statuses = List.copyOf(statuses);
        if (statuses.isEmpty()) {
            throw wrong("", "there is no status");
        }
        for (String status : statuses) {
            if (!status.matches(FORM)) {
                throw wrong(status, "a status has three digits");
            }
        }
        if (body != null && body.isEmpty()) {
            throw wrong("", "every body contains the empty text");
        }
    }

    private static UsageException wrong(String what, String why) {
        return new UsageException(
                "the expected answer '" + what + "' cannot be used",
                why,
                "write codes or classes, as in 200, 404 or 2xx");
    }

    /// Whether a status is good.
    public boolean expects(int status) {
        String code = Integer.toString(status);
        return statuses.stream()
                .anyMatch(expected ->
                        expected.endsWith(CLASS)
                                ? code.charAt(0) == expected.charAt(0)
                                : code.equals(expected));
    }
}
