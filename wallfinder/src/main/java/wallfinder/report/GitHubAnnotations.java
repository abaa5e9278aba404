package wallfinder.report;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.record.Harmless;
import wallfinder.record.NumberText;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.report.Check.State;

/// The result of a run as annotations of GitHub Actions, one a line.
public final class GitHubAnnotations {
    /// GitHub shows ten annotations of a kind for a step.
    private static final int ERRORS_MAX = 9;

    private GitHubAnnotations() {}

    /// @param compared the comparison with an earlier run, or null
    public static String text(RunRecord run, Outcome outcome, @Nullable Baseline compared) {
        StringBuilder text = new StringBuilder();
        List<Check> failed =
                Checks.of(run, outcome).stream()
                        .filter(check ->
                                check.state() == State.MISSED || check.state() == State.INVALID)
                        .toList();
        failed.stream()
                .limit(ERRORS_MAX)
                .forEach(check ->
                        line(
                                text,
                                "error",
                                "Wallfinder: "
                                        + (check.state() == State.MISSED ? "missed: " : "invalid: ")
                                        + check.name(),
                                check.message()));
        if (failed.size() > ERRORS_MAX) {
            int more = failed.size() - ERRORS_MAX;
            String message = NumberText.plural(more, "more check failed", "more checks failed");
            line(text, "error", "Wallfinder", message + "; see the summary");
        }
        if (compared != null) {
            String kind = compared.changed() ? "warning" : "notice";
            line(text, kind, "Wallfinder: " + run.name(), compared.text());
        }
        Finding main = Finding.main(run);
        if (main != null) {
            String message = main.text() + ". " + Checks.figures(main);
            line(text, "notice", "Wallfinder: " + run.name(), message);
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String kind, String title, String message) {
        text.append("::%s title=%s::%s\n".formatted(kind, property(title), data(message)));
    }

    /// The runner decodes these, so no text can end its line.
    private static String data(String raw) {
        return Harmless.lines(raw).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }

    private static String property(String raw) {
        return data(raw).replace(":", "%3A").replace(",", "%2C");
    }
}
