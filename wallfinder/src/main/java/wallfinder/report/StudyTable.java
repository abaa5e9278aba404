package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Drift;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Matrix;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.record.StudyRecord.Cell;
import wallfinder.record.StudyRecord.Effect;
import wallfinder.record.StudyRecord.Figures;
import wallfinder.record.StudyRecord.Where;
import wallfinder.report.Table.Column;

/// The cells of a study, in words and tables for the terminal and the page.
///
/// @param run the run with the study's trials
record StudyTable(RunRecord run, StudyRecord study) {
    private static final double SHOWN_MIN = 0.01;
    private static final double SHOWN_MAX = 100;

    /// `crew: 4 cells (jvm x poolSize), 5 rounds; 20 trials measured, 1 of them invalid`.
    String heading() {
        int invalid = study.cells().stream().mapToInt(Cell::invalid).sum();
        String factors =
                study.factors().stream()
                        .map(StudyRecord.Factor::name)
                        .collect(Collectors.joining(" x "));
        return "%s: %s%s, %s; %s measured%s"
                .formatted(
                        run.name(),
                        NumberText.plural(study.cells().size(), "cell", "cells"),
                        factors.isEmpty() ? "" : " (" + factors + ")",
                        NumberText.plural(study.repeat(), "round", "rounds"),
                        NumberText.plural(run.trials().size(), "trial", "trials"),
                        invalid == 0 ? "" : ", " + invalid + " of them invalid");
    }

    /// A row for each cell. A column without any value is left out.
    Table<Cell> table() {
        List<Column<Cell>> columns = new ArrayList<>();
        columns.add(Table.figures("cell", cell -> "" + cell.number()));
        for (StudyRecord.Factor factor : study.factors()) {
            String name = factor.name();
            columns.add(
                    new Column<>(name, factor.number(), cell -> value(cell.factors().get(name))));
        }
        columns.addAll(held() ? ofHeld() : ofRequests());
        columns.add(
                Table.words(
                        "p99 against",
                        cell ->
                                cell.against() == null
                                        ? Table.UNKNOWN
                                        : ratio(cell.against().p99(), "")));
        columns.add(Table.words("objective", StudyTable::objective));
        columns.add(Table.words("verdict", StudyTable::verdict));
        return new Table<>(columns, study.cells()).withoutUnknown(1);
    }

    private static List<Column<Cell>> ofRequests() {
        return List.of(
                Table.figures("answers/s", StudyTable::rate),
                figure("95 % interval", figures -> spread(figures.spread())),
                figure("p50", figures -> Table.known(figures.p50Nanos(), NumberText::millis)),
                figure("p99", figures -> Table.known(figures.p99Nanos(), NumberText::millis)),
                figure("errors", StudyTable::errors),
                figure(
                        "CPU/answer",
                        figures ->
                                Table.known(
                                        figures.cpuMicros(),
                                        micros -> NumberText.format("%,.1f us", micros))),
                figure("start", figures -> Table.seconds(figures.startSeconds())),
                figure("memory", figures -> Table.known(figures.rssBytes(), NumberText::bytes)),
                figure("max heap", figures -> Table.known(figures.heapBytes(), NumberText::bytes)),
                Table.figures("n", StudyTable::trials),
                Table.words(
                        "throughput against",
                        cell -> against(cell, StudyRecord.Against::throughput)));
    }

    private static List<Column<Cell>> ofHeld() {
        return List.of(
                held("alive", held -> NumberText.number(held.alive(), ",")),
                figure("errors", StudyTable::errors),
                held("connects/s", held -> rate(held.connectsPerSecond())),
                Table.figures("messages/s", StudyTable::rate),
                figure("p99", figures -> Table.known(figures.p99Nanos(), NumberText::millis)),
                held("user/connection", held -> Table.known(held.userBytes(), NumberText::bytes)),
                held(
                        "kernel/connection",
                        held -> Table.known(held.kernelBytes(), NumberText::bytes)),
                Table.figures("n", StudyTable::trials),
                Table.words(
                        "connects against", cell -> against(cell, StudyRecord.Against::connects)));
    }

    private static Column<Cell> figure(String head, Function<Figures, String> text) {
        return Table.figures(
                head, cell -> cell.figures() == null ? Table.UNKNOWN : text.apply(cell.figures()));
    }

    private static Column<Cell> held(String head, Function<StudyRecord.Held, String> text) {
        return figure(
                head,
                figures -> figures.held() == null ? Table.UNKNOWN : text.apply(figures.held()));
    }

    /// Whether the load held connections.
    private boolean held() {
        return study.cells().stream()
                .map(Cell::figures)
                .anyMatch(figures -> figures != null && figures.held() != null);
    }

    private static String value(@Nullable String value) {
        return value == null || value.isEmpty() ? "(nothing)" : value;
    }

    private static String rate(Cell cell) {
        Figures figures = cell.figures();
        return figures == null
                ? Table.UNKNOWN
                : (cell.counts() ? "" : ">= ") + rate(figures.perSecond());
    }

    private static String objective(Cell cell) {
        return cell.objectiveMet() == null ? Table.UNKNOWN : cell.objectiveMet() ? "met" : "MISSED";
    }

    private static String errors(Figures figures) {
        return figures.errors() == null ? "unknown" : NumberText.count(figures.errors());
    }

    private static String rate(double perSecond) {
        return Double.isNaN(perSecond) ? "unknown" : NumberText.format("%,.1f", perSecond);
    }

    private static String spread(@Nullable RatioInterval spread) {
        return spread == null
                ? Table.UNKNOWN
                : spread.high() > SHOWN_MAX * spread.low()
                        ? "too few"
                        : NumberText.format("%,.0f-%,.0f", spread.low(), spread.high());
    }

    private static String trials(Cell cell) {
        return cell.trials().size()
                + (cell.invalid() == 0 ? "" : " + " + cell.invalid() + " invalid")
                + (cell.failed() == 0 ? "" : " + " + cell.failed() + " failed");
    }

    private static String against(
            Cell cell, Function<StudyRecord.Against, @Nullable RatioInterval> figure) {
        return cell.against() == null
                ? Table.UNKNOWN
                : ratio(figure.apply(cell.against()), "cell " + cell.against().cell());
    }

    /// `1.31 times, 1.20-1.41`, `no difference, 0.98-1.02` or `no clear difference, 0.70-1.60`.
    ///
    /// @param other the cell that the ratio refers to, or empty if the context names it
    private static String ratio(@Nullable RatioInterval ratio, String other) {
        return ratio == null
                ? "unknown: too little data"
                : switch (ratio.effect()) {
                    case NONE ->
                            "%s difference%s, %s"
                                    .formatted(
                                            ratio.isUnclear() ? "no clear" : "no",
                                            other.isEmpty() ? "" : " to " + other,
                                            interval(ratio));
                    case MORE, LESS ->
                            NumberText.format(
                                    "%.2f times%s, %s",
                                    ratio.ratio(),
                                    other.isEmpty() ? "" : " " + other,
                                    interval(ratio));
                };
    }

    private static String interval(RatioInterval ratio) {
        String low = ratio.low() < SHOWN_MIN ? "<0.01" : NumberText.format("%.2f", ratio.low());
        String high = ratio.high() > SHOWN_MAX ? ">100" : NumberText.format("%.2f", ratio.high());
        return low + "-" + high;
    }

    static String verdict(Cell cell) {
        if (cell.figures() == null) {
            return cell.problem() == null
                    ? "not measured"
                    : cell.failed() > 0 ? "failed" : "skipped";
        }
        int all = cell.verdicts().stream().mapToInt(StudyRecord.Verdicts::trials).sum();
        return cell.verdicts().stream()
                .map(one ->
                        one.trials() == all
                                ? one.text()
                                : "%s (%d of %d)".formatted(one.text(), one.trials(), all))
                .collect(Collectors.joining("; "));
    }

    /// Remarks on the table, one sentence each.
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (Cell cell : study.cells()) {
            if (cell.problem() != null) {
                notes.add("cell " + cell.number() + factors(cell) + ": " + cell.problem());
            }
        }
        if (study.cells().stream().anyMatch(cell -> cell.invalid() > 0)) {
            notes.add(
                    "invalid: the load generator was the wall or got no CPU; figures and comparisons"
                            + " leave such trials out, and a cell without other trials shows a lower"
                            + " bound (>=)");
        }
        String changing =
                study.factors().stream()
                        .filter(StudyRecord.Factor::changesLoad)
                        .map(StudyRecord.Factor::name)
                        .collect(Collectors.joining(", "));
        if (!changing.isEmpty()) {
            notes.add(
                    "%d different loads (%s): each cell is compared with the first cell of the same load"
                            .formatted(study.loads(), changing));
        }
        missed(notes);
        jvms(notes);
        for (RunRecord.Trial trial : run.trials()) {
            Drift.of(trial.observation())
                    .ifPresent(drift ->
                            notes.add(
                                    "drift in " + trial.name() + ": " + VerdictText.drift(drift)));
        }
        return notes;
    }

    private void jvms(List<String> notes) {
        Set<String> jvms = new TreeSet<>();
        Set<Boolean> archives = new HashSet<>();
        for (RunRecord.Trial trial : run.trials()) {
            jvms.add(VerdictText.jvms(trial.observation().facts()));
            trial.observation().facts().services().stream()
                    .map(SandboxFacts.ServiceFacts::runtime)
                    .filter(Objects::nonNull)
                    .forEach(runtime -> archives.add(runtime.usesArchive()));
        }
        jvms.remove("");
        jvms.forEach(jvm -> notes.add("JVMs: " + jvm));
        if (archives.size() > 1) {
            notes.add(
                    "some JVMs had an archive of classes and some had none: their start-up times and"
                            + " memory cannot be compared");
        }
    }

    private void missed(List<String> notes) {
        List<Cell> judged =
                study.cells().stream().filter(cell -> cell.objectiveMet() != null).toList();
        String missed =
                judged.stream()
                        .filter(cell -> Boolean.FALSE.equals(cell.objectiveMet()))
                        .map(cell -> Integer.toString(cell.number()))
                        .collect(Collectors.joining(", "));
        if (!judged.isEmpty()) {
            notes.add(
                    missed.isEmpty()
                            ? "the objective was met in all cells that were measured"
                            : "the objective was MISSED in cells " + missed);
        }
    }

    /// ` (jvm 25, poolSize 8)`; empty for the only cell of a study without a matrix.
    private static String factors(Cell cell) {
        String factors = Matrix.describe(cell.factors());
        return factors.isEmpty() ? "" : " (" + factors + ")";
    }

    /// `poolSize 64 against 8`.
    static String name(Effect effect) {
        return "%s %s against %s".formatted(effect.factor(), effect.to(), effect.from());
    }

    /// The effect on each figure, and the cells in which it is smallest and largest.
    List<String> details(Effect effect) {
        List<String> details = new ArrayList<>();
        String load = changesLoad(effect) ? "(another load) " : "";
        if (effect.connects() != null) {
            details.add(load + "connects " + ratio(effect.connects(), ""));
        }
        details.add(
                load
                        + (held() ? "messages " : "throughput ")
                        + ratio(effect.throughput(), "")
                        + extremes(effect.where(), Where::throughput));
        if (effect.p99() != null) {
            details.add("p99 " + ratio(effect.p99(), "") + extremes(effect.where(), Where::p99));
        }
        return details;
    }

    /// A factor may have values that change the load and others that do not.
    private boolean changesLoad(Effect effect) {
        return study.cells().stream()
                .filter(cell -> effect.from().equals(cell.factors().get(effect.factor())))
                .anyMatch(cell -> {
                    Map<String, String> changed = new HashMap<>(cell.factors());
                    changed.put(effect.factor(), effect.to());
                    return study.cells().stream()
                            .anyMatch(other ->
                                    other.factors().equals(changed) && other.load() != cell.load());
                });
    }

    /// Where the effect is smallest and where it is largest; empty if their intervals overlap.
    private static String extremes(
            List<Where> where, Function<Where, @Nullable RatioInterval> figure) {
        Comparator<Where> byRatio =
                Comparator.comparingDouble(
                        one -> Objects.requireNonNull(figure.apply(one)).ratio());
        List<Where> known =
                where.stream().filter(one -> figure.apply(one) != null).sorted(byRatio).toList();
        if (known.size() < 2) {
            return "";
        }
        RatioInterval least = Objects.requireNonNull(figure.apply(known.getFirst()));
        RatioInterval most = Objects.requireNonNull(figure.apply(known.getLast()));
        boolean apart = least.high() < most.low() && least.effect() != most.effect();
        return apart
                ? "; it depends: %s with %s, %s with %s"
                        .formatted(
                                ratio(least, ""),
                                known.getFirst().text(),
                                ratio(most, ""),
                                known.getLast().text())
                : "";
    }

    /// The best cells, one sentence each.
    List<String> best() {
        return study.best().stream().map(this::best).toList();
    }

    private String best(StudyRecord.Best best) {
        Cell cell = study.cells().get(best.cell() - 1);
        Figures figures = Objects.requireNonNull(cell.figures());
        String load = study.loads() == 1 ? "" : best.load() == 0 ? " across all loads" : with(cell);
        String alike =
                best.alike().isEmpty()
                        ? ""
                        : "; no clear difference to "
                                + (best.alike().size() == 1 ? "cell " : "cells ")
                                + best.alike().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(", "));
        return "Best%s: cell %d%s, %s, p99 %s, %s in %s%s%s"
                .formatted(
                        load,
                        cell.number(),
                        factors(cell),
                        done(figures),
                        Table.known(figures.p99Nanos(), NumberText::millis),
                        figures.errors() == null
                                ? "errors unknown"
                                : NumberText.plural(figures.errors(), "error", "errors"),
                        NumberText.seconds(figures.seconds()),
                        cell.trials().size() == 1 ? " (one trial)" : "",
                        alike);
    }

    private static String done(Figures figures) {
        return figures.held() == null
                ? rate(figures.perSecond()) + " answers/s"
                : "%s alive, %s connects/s"
                        .formatted(
                                NumberText.number(figures.held().alive(), ","),
                                rate(figures.held().connectsPerSecond()));
    }

    /// The load of a cell, by the factors that change it.
    private String with(Cell cell) {
        return " with "
                + study.factors().stream()
                        .filter(StudyRecord.Factor::changesLoad)
                        .map(factor -> factor.name() + " " + cell.factors().get(factor.name()))
                        .collect(Collectors.joining(", "));
    }

    void write(PlainText lines) {
        lines.strong(heading()).blank();
        lines.table(table()).blank();
        notes().forEach(note -> lines.add("  ", note));
        if (!study.effects().isEmpty()) {
            lines.blank().strong("Effects (all other factors equal, 95 % interval)");
        }
        for (Effect effect : study.effects()) {
            lines.add("  ", name(effect));
            details(effect).forEach(detail -> lines.add("    ", detail));
        }
        if (!study.best().isEmpty()) {
            lines.blank();
        }
        best().forEach(lines::strong);
    }
}
