package wallfinder.report;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.record.Comparison;
import wallfinder.record.Comparison.Figure;
import wallfinder.record.Comparison.Kind;
import wallfinder.record.Comparison.Result;
import wallfinder.record.Comparison.Row;
import wallfinder.record.NumberText;
import wallfinder.record.StoredRun;

/// What `compare` prints.
public final class ComparisonText {
    /// The terminal shows the budgets of so many rows; the others are in the file of `--json`.
    private static final int BUDGETS_SHOWN_MAX = 3;

    /// Parts of an answer's time that are shorter everywhere are left out.
    private static final double SHOWN_SHARE_MIN = 0.01;

    private static final Set<Result> DIFFERENT = Set.of(Result.MORE, Result.LESS);

    private static final String INDENT = "  ";
    private static final String SOURCE_INDENT = "    ";

    private final Comparison comparison;
    private final PlainText lines;

    private ComparisonText(Comparison comparison, boolean ansi) {
        this.comparison = comparison;
        lines = new PlainText(ansi);
    }

    /// @param ansi whether the output may be bold
    public static String of(Comparison comparison, boolean ansi) {
        return new ComparisonText(comparison, ansi).text();
    }

    /// What the comparison shows, in one sentence.
    static String headline(Comparison comparison) {
        return new ComparisonText(comparison, false).headline();
    }

    private String text() {
        lines.strong("Two runs, A and B. Ratios are B divided by A, with 95 % intervals.");
        side("A", comparison.a());
        side("B", comparison.b());
        differences();
        doubts();
        comparison.rows().forEach(this::row);
        walls();
        budgets();
        unmatched();
        conclusion();
        decision();
        return lines.toString();
    }

    private void side(String name, Comparison.Side side) {
        lines.add(
                "  %s  ".formatted(name),
                "%s: %s, started %s".formatted(side.run(), side.name(), side.startedAt()));
        lines.add("     ", side.command());
    }

    private void differences() {
        lines.blank().strong("What differs around the measurement");
        if (comparison.differences().isEmpty()) {
            lines.add(INDENT, "nothing that run.json records");
        } else {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("in", "what", "A", "B"));
            comparison
                    .differences()
                    .forEach(d -> rows.add(List.of(d.where().words(), d.what(), d.a(), d.b())));
            lines.table(rows, false, false, false, false);
        }
        if (!comparison.alike().isEmpty()) {
            lines.faint(INDENT, "the same in both: " + String.join("; ", comparison.alike()));
        }
    }

    private void doubts() {
        if (comparison.doubts().isEmpty()) {
            return;
        }
        lines.blank().strong("Doubts (reasons to trust a figure less)");
        for (Comparison.Doubt doubt : comparison.doubts()) {
            String where =
                    doubt.inA() && doubt.inB()
                            ? "in both"
                            : doubt.inA() ? "only in A" : "only in B";
            lines.add(INDENT, "%s, %s: %s".formatted(doubt.id(), where, doubt.advice()));
        }
    }

    private void row(Row row) {
        if (row.figures().isEmpty()) {
            return;
        }
        lines.blank()
                .strong(
                        "%s: %s; %s of A, %s of B"
                                .formatted(
                                        row.label(),
                                        row.load(),
                                        trials(row.trialsA()),
                                        trials(row.trialsB())));
        List<List<String>> rows = new ArrayList<>();
        boolean several = row.trialsA().size() > 1 || row.trialsB().size() > 1;
        rows.add(
                List.of(
                        several ? "median of the trials" : "figure",
                        "A",
                        "B",
                        "B / A",
                        "interval",
                        "in B"));
        for (Figure figure : row.figures()) {
            rows.add(
                    List.of(
                            figure.kind().words(),
                            value(figure.kind(), figure.a()),
                            value(figure.kind(), figure.b()),
                            Table.known(figure.ratio(), ratio -> NumberText.format("%.2f", ratio)),
                            interval(figure.interval()),
                            result(figure)));
        }
        lines.table(rows, false, true, true, true, true, false);
        if (row.figures().stream().anyMatch(ComparisonText::isOfMeans)) {
            lines.faint(INDENT, "B / A is the ratio of the geometric means.");
        }
        row.notes().forEach(note -> lines.add(INDENT, note));
    }

    private static boolean isOfMeans(Figure figure) {
        return figure.interval() != null && figure.kind() != Kind.CAPACITY;
    }

    private static String trials(List<String> names) {
        return NumberText.plural(names.size(), "trial", "trials");
    }

    private static String interval(@Nullable RatioInterval interval) {
        return interval == null ? Table.UNKNOWN : NumberText.interval(interval);
    }

    static String value(Kind kind, double value) {
        return switch (kind) {
            case CAPACITY, GOOD_PER_SECOND, CONNECTS_PER_SECOND -> Table.rate(value);
            case P50, P99 -> NumberText.millis(value * 1e3);
            case CPU_MICROS -> micros(value);
            case FAILED_SHARE -> share(value);
            case ALIVE -> NumberText.number(value, ",");
            case LIMIT_BYTES -> NumberText.bytes(value);
        };
    }

    private static String micros(double micros) {
        return micros < 1_000
                ? NumberText.format("%.1f us", micros)
                : NumberText.millis(micros * 1e3);
    }

    private static String share(double share) {
        return share == 0 ? "none" : NumberText.format("%.3f %%", 100 * share);
    }

    static String result(Figure figure) {
        return switch (figure.result()) {
            case MORE -> figure.kind().more();
            case LESS -> figure.kind().less();
            case NONE -> "no difference";
            case UNCLEAR -> "unclear: the interval is wide";
            case NO_INTERVAL ->
                    figure.kind() == Comparison.Kind.CAPACITY
                            ? "undecided: trials contradict each other"
                            : "undecided: one trial";
            case A_IS_LOWER_BOUND -> "at most this ratio";
            case B_IS_LOWER_BOUND -> "at least this ratio";
            case BOTH_ARE_LOWER_BOUNDS -> "unknown";
            case SHOWS_THE_GENERATOR -> "of a busy generator";
            case OTHER_LOAD -> "another load";
            case WITHIN_A_STEP -> "no difference: within a step";
            case SHARES, SHARES_DIFFER -> shares(figure);
        };
    }

    private static String shares(Figure figure) {
        if (figure.a() == 0 && figure.b() == 0) {
            return "no difference";
        }
        return NumberText.format("%+.3f percentage points", 100 * (figure.b() - figure.a()));
    }

    private void walls() {
        if (comparison.rows().isEmpty()) {
            return;
        }
        lines.blank().strong("Walls");
        for (Row row : comparison.rows()) {
            if (row.wallA().equals(row.wallB())) {
                lines.add(INDENT, "%s: the same in both: %s".formatted(row.label(), row.wallA()));
            } else {
                lines.add(INDENT, row.label() + ":");
                lines.add("    A  ", row.wallA());
                lines.add("    B  ", row.wallB());
            }
        }
    }

    private void budgets() {
        List<Row> rows =
                comparison.rows().stream()
                        .filter(row -> row.budgetA() != null && row.budgetB() != null)
                        .toList();
        rows.stream().limit(BUDGETS_SHOWN_MAX).forEach(this::budget);
        if (rows.size() > BUDGETS_SHOWN_MAX) {
            int more = rows.size() - BUDGETS_SHOWN_MAX;
            lines.add(
                    INDENT,
                    "The times of %s are in the file of --json."
                            .formatted(NumberText.plural(more, "more row", "more rows")));
        }
    }

    private void budget(Row row) {
        StoredRun.Budget a = row.budgetA();
        StoredRun.Budget b = row.budgetB();
        if (a == null || b == null) {
            return;
        }
        lines.blank().strong("Where the time of an answer goes: " + row.label());
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                List.of(
                        "an answer",
                        "alone, A",
                        "alone, B",
                        "under load, A",
                        "under load, B",
                        "B minus A"));
        rows.add(times("takes in all", "", a, b));
        Set<String> parts = new LinkedHashSet<>(a.loaded().keySet());
        parts.addAll(b.loaded().keySet());
        parts.stream()
                .filter(part -> isShown(part, a) || isShown(part, b))
                .forEach(part -> rows.add(times("  " + Budget.does(part), part, a, b)));
        lines.table(rows, false, true, true, true, true, true);
    }

    private static List<String> times(
            String words, String part, StoredRun.Budget a, StoredRun.Budget b) {
        return List.of(
                words,
                alone(a.alone(), part),
                alone(b.alone(), part),
                time(a.loaded(), part),
                time(b.loaded(), part),
                signed(micros(b.loaded(), part) - micros(a.loaded(), part)));
    }

    private static boolean isShown(String part, StoredRun.Budget budget) {
        return Math.abs(micros(budget.loaded(), part)) >= SHOWN_SHARE_MIN * total(budget.loaded());
    }

    private static String alone(@Nullable Map<String, Double> parts, String part) {
        return parts == null ? Table.UNKNOWN : time(parts, part);
    }

    private static String time(Map<String, Double> parts, String part) {
        return NumberText.millis(micros(parts, part) * 1e3);
    }

    private static String signed(double micros) {
        return (micros < 0 ? "-" : "+") + NumberText.millis(Math.abs(micros) * 1e3);
    }

    /// @param part empty for the whole
    private static double micros(Map<String, Double> parts, String part) {
        return part.isEmpty() ? total(parts) : parts.getOrDefault(part, 0.0);
    }

    private static double total(Map<String, Double> parts) {
        return parts.values().stream().filter(Double::isFinite).mapToDouble(v -> v).sum();
    }

    private void unmatched() {
        if (!comparison.unmatched().isEmpty()) {
            lines.blank().strong("Not compared");
            comparison.unmatched().forEach(sentence -> lines.add(INDENT, sentence));
        }
    }

    private void conclusion() {
        lines.blank().strong(headline());
        if (comparison.refused() != null || comparison.sameRun()) {
            return;
        }
        if (has(Result.MORE) || has(Result.LESS)) {
            lines.add(
                    "",
                    "There are %s here. By chance alone, one in twenty excludes 1."
                            .formatted(NumberText.plural(intervals(), "interval", "intervals")));
        }
        lines.add(
                "",
                ("A and B did not run in turn%s. Every difference between them may come from the state"
                                + " of the host at these two times, which no interval here includes.")
                        .formatted(apart()));
    }

    private String headline() {
        if (comparison.refused() != null) {
            return "Not comparable: " + comparison.refused();
        }
        return comparison.sameRun() ? "A and B are the same run." : found();
    }

    /// ` but 7.6 hours apart`; empty if the times cannot be read.
    private String apart() {
        try {
            Instant a = Instant.parse(comparison.a().startedAt());
            Instant b = Instant.parse(comparison.b().startedAt());
            double hours = Duration.between(a, b).abs().toSeconds() / 3600.0;
            return hours < 1
                    ? " but %s apart"
                            .formatted(
                                    NumberText.plural(Math.round(60 * hours), "minute", "minutes"))
                    : NumberText.format(" but %.1f hours apart", hours);
        } catch (DateTimeParseException e) {
            return "";
        }
    }

    private String found() {
        String failed = failed();
        return failed.isEmpty() ? ofIntervals("") : failed + " " + ofIntervals("other ");
    }

    /// The shares of failed requests that differ, in a sentence; empty if none does.
    private String failed() {
        List<String> differing = new ArrayList<>();
        for (Row row : comparison.rows()) {
            row.figures().stream()
                    .filter(figure -> figure.result() == Result.SHARES_DIFFER)
                    .map(figure ->
                            "%s in A, %s in B (%s)"
                                    .formatted(share(figure.a()), share(figure.b()), row.label()))
                    .forEach(differing::add);
        }
        return differing.isEmpty()
                ? ""
                : "Failed requests differ: %s. Their share has no interval."
                        .formatted(String.join("; ", differing));
    }

    /// @param other empty, or `other ` if failed requests differ
    private String ofIntervals(String other) {
        List<String> differing = new ArrayList<>();
        for (Row row : comparison.rows()) {
            row.figures().stream()
                    .filter(figure -> DIFFERENT.contains(figure.result()))
                    .map(figure ->
                            "%s %s in B (%s)"
                                    .formatted(figure.kind().words(), result(figure), row.label()))
                    .forEach(differing::add);
        }
        if (!differing.isEmpty()) {
            return "Different beyond the noise: " + String.join("; ", differing) + ".";
        }
        if (has(Result.UNCLEAR)) {
            return "No %sfigure differs beyond the noise, but some intervals are too wide to exclude a difference."
                    .formatted(other);
        }
        if (has(Result.NONE) || has(Result.WITHIN_A_STEP)) {
            return other.isEmpty()
                    ? "No difference: no figure differs beyond the noise."
                    : "No other figure differs beyond the noise.";
        }
        return "Nothing %sis decided. That needs several trials of the same load in both runs, and a generator that is not the limit."
                .formatted(other.isEmpty() ? "" : "else ");
    }

    private boolean has(Result result) {
        return comparison.rows().stream()
                .flatMap(row -> row.figures().stream())
                .anyMatch(figure -> figure.result() == result);
    }

    private long intervals() {
        return comparison.rows().stream()
                .flatMap(row -> row.figures().stream())
                .filter(figure -> figure.interval() != null)
                .count();
    }

    private void decision() {
        Comparison.Decision decision = comparison.decision();
        boolean nothing = comparison.sameRun() || comparison.refused() != null;
        if (nothing || decision.how().isEmpty()) {
            return;
        }
        lines.blank().strong("To decide it");
        decision.how().forEach(sentence -> lines.add(INDENT, sentence));
        decision.commands().forEach(command -> lines.source(SOURCE_INDENT, command));
        if (decision.experiment() != null) {
            lines.blank();
            decision.experiment().lines().forEach(line -> lines.source(SOURCE_INDENT, line));
        }
    }
}
