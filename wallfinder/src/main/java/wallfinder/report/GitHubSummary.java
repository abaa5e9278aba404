package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.record.Harmless;
import wallfinder.record.NumberText;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.StudyRecord;

/// The result of a run as Markdown, for the summary of a job of GitHub Actions.
public final class GitHubSummary {
    /// A summary has at most 1 MiB. The report has all rows.
    private static final int ROWS_MAX = 200;

    /// What Markdown or HTML could take for more than text.
    private static final Pattern MARKUP =
            Pattern.compile("[^\\p{L}\\p{N} .,/%=;'()-]", Pattern.UNICODE_CHARACTER_CLASS);

    private final StringBuilder text = new StringBuilder();
    private final RunRecord run;

    private GitHubSummary(RunRecord run) {
        this.run = run;
    }

    /// @param compared the comparison with an earlier run, or null
    /// @param folder the run's folder, as it is shown
    public static String markdown(
            RunRecord run, Outcome outcome, @Nullable Baseline compared, String folder) {
        return new GitHubSummary(run).markdown(outcome, compared, folder);
    }

    private String markdown(Outcome outcome, @Nullable Baseline compared, String folder) {
        text.append("## Wallfinder ").append(escaped(run.kind() + ": " + run.name()));
        text.append("\n\n");
        Finding main = Finding.main(run);
        if (main != null) {
            text.append("**").append(escaped(main.text())).append("**\n\n");
        }
        if (compared != null) {
            text.append("Compared with the baseline: ").append(escaped(compared.text()));
            text.append("\n\n");
        }
        figures(main);
        checks(outcome);
        if (!run.ladder().isEmpty()) {
            ladder();
        }
        if (run.ended() != null && !run.ended().isEmpty()) {
            text.append("Ended: ").append(escaped(run.ended())).append("\n\n");
        }
        VerdictText.doubts(run)
                .forEach((id, advice) ->
                        text.append("Doubt ").append(escaped(id + ": " + advice)).append("\n\n"));
        text.append("Files: ").append(escaped(folder)).append('\n');
        return text.toString();
    }

    private void figures(@Nullable Finding main) {
        List<Finding> findings = new ArrayList<>();
        if (run.study() != null && run.fit() == null) {
            for (StudyRecord.Cell cell : run.study().cells()) {
                Finding finding = Finding.of(cell, run);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        } else if (main != null && run.ladder().isEmpty()) {
            findings.add(main);
        }
        if (findings.isEmpty()) {
            return;
        }
        String rate = run.capacity() == null ? "answers/s" : "capacity/s";
        row(List.of("what", "wall", rate, "p50", "p99", "p99.9", "max", "errors"));
        rule(8);
        for (Finding one : findings.subList(0, Math.min(ROWS_MAX, findings.size()))) {
            row(
                    List.of(
                            one.name(),
                            one.wall(),
                            Table.rate(one.perSecond()),
                            Table.known(one.p50Nanos(), NumberText::millis),
                            Table.known(one.p99Nanos(), NumberText::millis),
                            Table.known(one.p999Nanos(), NumberText::millis),
                            Table.known(one.maxNanos(), NumberText::millis),
                            Table.known(
                                    one.errorShare(),
                                    share -> NumberText.format("%.3f %%", 100 * share))));
        }
        more(findings.size());
    }

    private void checks(Outcome outcome) {
        List<Check> checks = Checks.of(run, outcome);
        row(List.of("check", "result", "found"));
        rule(3);
        for (Check check : checks.subList(0, Math.min(ROWS_MAX, checks.size()))) {
            String result =
                    switch (check.state()) {
                        case PASSED -> "passed";
                        case MISSED -> "MISSED";
                        case INVALID -> "INVALID";
                        case SKIPPED -> "skipped";
                    };
            row(List.of(check.name(), result, check.message()));
        }
        more(checks.size());
    }

    private void ladder() {
        String rate = RemedyText.rateTitle(run);
        row(List.of("rung", "wall", "on", rate, "p99", "errors", "load", "moved by", "gain"));
        rule(9);
        for (int i = 0; i < run.ladder().size(); i++) {
            Rung rung = run.ladder().get(i);
            List<String> cells =
                    new ArrayList<>(RemedyText.cells(i + 1, rung, run.trials().get(rung.trial())));
            cells.add(rung.remedy() == null ? "-" : rung.remedy().remedy().text());
            cells.add(rung.remedy() == null ? "-" : rung.remedy().text());
            row(cells);
        }
        text.append('\n');
    }

    private void more(int all) {
        if (all > ROWS_MAX) {
            text.append("\nand ").append(all - ROWS_MAX).append(" more: see report.html\n");
        }
        text.append('\n');
    }

    private void row(List<String> cells) {
        text.append('|');
        cells.forEach(cell -> text.append(' ').append(escaped(cell)).append(" |"));
        text.append('\n');
    }

    private void rule(int columns) {
        text.append("|---".repeat(columns)).append("|\n");
    }

    /// One line of text: everything that is not a word is written as a number of HTML.
    static String escaped(String raw) {
        return MARKUP.matcher(Harmless.line(raw)).replaceAll(GitHubSummary::entity);
    }

    private static String entity(MatchResult found) {
        return "&#%d;".formatted(Objects.requireNonNull(found.group()).codePointAt(0));
    }
}
