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
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Drift;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.record.StudyRecord.Cell;
import wallfinder.record.StudyRecord.Effect;
import wallfinder.record.StudyRecord.Figures;
import wallfinder.record.StudyRecord.Where;

/// The table of a study, and what it says: the same words on the terminal and on the page.
///
/// @param run whose trials they are
record StudyTable(RunRecord run, StudyRecord study) {
    private static final String UNKNOWN = "-";

    /// An interval that goes no further than this says that two are alike.
    private static final double CLOSE_MAX = 1.25;

    private static final double SHOWN_MIN = 0.01;
    private static final double SHOWN_MAX = 100;

    /// `4 cells (jvm x poolSize), 5 rounds; 20 trials, 1 of them invalid`.
    String heading() {
        int invalid = study.cells().stream().mapToInt(Cell::invalid).sum();
        String factors =
                study.factors().stream()
                        .map(StudyRecord.Factor::name)
                        .collect(Collectors.joining(" x "));
        return "%s: %s%s, %s asked; %s measured%s"
                .formatted(
                        run.name(),
                        NumberText.plural(study.cells().size(), "cell", "cells"),
                        factors.isEmpty() ? "" : " (" + factors + ")",
                        NumberText.plural(study.repeat(), "round", "rounds"),
                        NumberText.plural(run.trials().size(), "trial", "trials"),
                        invalid == 0 ? "" : ", " + invalid + " of them invalid");
    }

    /// @param right whether it is of amounts
    private record Column(String head, boolean right, Function<Cell, String> told) {
        static Column figure(String head, Function<Figures, String> told) {
            return new Column(
                    head,
                    true,
                    cell -> cell.figures() == null ? UNKNOWN : told.apply(cell.figures()));
        }

        static Column held(String head, Function<StudyRecord.Held, String> told) {
            return figure(
                    head, figures -> figures.held() == null ? UNKNOWN : told.apply(figures.held()));
        }

        boolean isEmpty(List<Cell> cells) {
            return cells.stream().map(told).allMatch(UNKNOWN::equals);
        }
    }

    /// Those in which something stands.
    private List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("cell", true, cell -> "" + cell.number()));
        for (StudyRecord.Factor factor : study.factors()) {
            String name = factor.name();
            columns.add(new Column(name, factor.number(), cell -> value(cell.factors().get(name))));
        }
        if (held()) {
            ofHeld(columns);
        } else {
            ofRequests(columns);
        }
        columns.add(new Column("p99 against", false, StudyTable::tailAgainst));
        columns.add(new Column("objective", false, StudyTable::objective));
        columns.add(new Column("verdict", false, StudyTable::verdict));
        columns.removeIf(column -> column.isEmpty(study.cells()));
        return columns;
    }

    private void ofRequests(List<Column> columns) {
        columns.add(new Column("answers/s", true, StudyTable::rate));
        columns.add(Column.figure("95 % interval", figures -> spread(figures.spread())));
        columns.add(Column.figure("p50", figures -> known(figures.p50Nanos(), NumberText::millis)));
        columns.add(Column.figure("p99", figures -> known(figures.p99Nanos(), NumberText::millis)));
        columns.add(Column.figure("errors", StudyTable::errors));
        columns.add(Column.figure("CPU/answer", figures -> micros(figures.cpuMicros())));
        columns.add(Column.figure("start", figures -> seconds(figures.startSeconds())));
        columns.add(
                Column.figure("memory", figures -> known(figures.rssBytes(), NumberText::bytes)));
        columns.add(
                Column.figure(
                        "max heap", figures -> known(figures.heapBytes(), NumberText::bytes)));
        columns.add(new Column("n", true, StudyTable::counted));
        columns.add(
                new Column(
                        "throughput against",
                        false,
                        cell -> against(cell, StudyRecord.Against::throughput)));
    }

    /// Whether connections were held: then what became of them is told, and how fast they came.
    private boolean held() {
        return study.cells().stream()
                .map(Cell::figures)
                .anyMatch(figures -> figures != null && figures.held() != null);
    }

    private void ofHeld(List<Column> columns) {
        columns.add(Column.held("alive", held -> NumberText.number(held.alive(), ",")));
        columns.add(Column.figure("errors", StudyTable::errors));
        columns.add(Column.held("connects/s", held -> rate(held.connectsPerSecond())));
        columns.add(new Column("messages/s", true, StudyTable::rate));
        columns.add(Column.figure("p99", figures -> known(figures.p99Nanos(), NumberText::millis)));
        columns.add(
                Column.held("user/connection", held -> known(held.userBytes(), NumberText::bytes)));
        columns.add(
                Column.held(
                        "kernel/connection", held -> known(held.kernelBytes(), NumberText::bytes)));
        columns.add(new Column("n", true, StudyTable::counted));
        columns.add(
                new Column(
                        "connects against",
                        false,
                        cell -> against(cell, StudyRecord.Against::connects)));
    }

    /// The columns' names, and below them a row for each cell.
    List<List<String>> rows() {
        List<Column> columns = columns();
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::head).toList());
        for (Cell cell : study.cells()) {
            rows.add(columns.stream().map(column -> column.told().apply(cell)).toList());
        }
        return rows;
    }

    /// Whether a column is of amounts.
    boolean[] right() {
        List<Column> columns = columns();
        boolean[] right = new boolean[columns.size()];
        for (int i = 0; i < right.length; i++) {
            right[i] = columns.get(i).right();
        }
        return right;
    }

    private static String value(@Nullable String value) {
        return value == null || value.isEmpty() ? "(nothing)" : value;
    }

    private static String rate(Cell cell) {
        Figures figures = cell.figures();
        return figures == null ? UNKNOWN : (cell.counts() ? "" : ">= ") + rate(figures.perSecond());
    }

    private static String tailAgainst(Cell cell) {
        return cell.against() == null ? UNKNOWN : ratio(cell.against().p99());
    }

    private static String objective(Cell cell) {
        return cell.objectiveMet() == null ? UNKNOWN : cell.objectiveMet() ? "met" : "MISSED";
    }

    private static String errors(Figures figures) {
        return figures.errors() == null ? "not told" : NumberText.count(figures.errors());
    }

    private static String micros(double micros) {
        return known(micros, cpu -> NumberText.format("%,.1f us", cpu));
    }

    private static String seconds(double seconds) {
        return known(seconds, start -> NumberText.format("%,.2f s", start));
    }

    private static String known(double figure, DoubleFunction<String> told) {
        return Double.isNaN(figure) ? UNKNOWN : told.apply(figure);
    }

    private static String rate(double perSecond) {
        return Double.isNaN(perSecond) ? "unknown" : NumberText.format("%,.1f", perSecond);
    }

    private static String spread(@Nullable RatioInterval spread) {
        return spread == null
                ? UNKNOWN
                : spread.high() > SHOWN_MAX * spread.low()
                        ? "too few"
                        : NumberText.format("%,.0f-%,.0f", spread.low(), spread.high());
    }

    private static String counted(Cell cell) {
        return cell.trials().size()
                + (cell.invalid() == 0 ? "" : " + " + cell.invalid() + " invalid")
                + (cell.failed() == 0 ? "" : " + " + cell.failed() + " failed");
    }

    private static String against(
            Cell cell, Function<StudyRecord.Against, @Nullable RatioInterval> figure) {
        if (cell.against() == null) {
            return UNKNOWN;
        }
        String other = " cell " + cell.against().cell();
        RatioInterval ratio = figure.apply(cell.against());
        return ratio == null
                ? "not known: too little to compare"
                : switch (ratio.effect()) {
                    case NONE ->
                            close(ratio)
                                    ? "no difference to" + other + ", " + interval(ratio)
                                    : "not told apart from" + other + ", " + interval(ratio);
                    case MORE, LESS ->
                            NumberText.format(
                                    "%.2f times%s, %s", ratio.ratio(), other, interval(ratio));
                };
    }

    /// `1.31 times, 1.20-1.41`, or that there is no difference, or that too little was measured to
    /// tell.
    private static String ratio(@Nullable RatioInterval ratio) {
        return ratio == null
                ? "not known"
                : switch (ratio.effect()) {
                    case NONE ->
                            (close(ratio) ? "no difference, " : "not told apart, ")
                                    + interval(ratio);
                    case MORE, LESS ->
                            NumberText.format("%.2f times, %s", ratio.ratio(), interval(ratio));
                };
    }

    /// Whether the interval itself is small, so that there is no difference; a large one around 1
    /// allows for any.
    private static boolean close(RatioInterval ratio) {
        return ratio.low() >= 1 / CLOSE_MAX && ratio.high() <= CLOSE_MAX;
    }

    private static String interval(RatioInterval ratio) {
        String low = ratio.low() < SHOWN_MIN ? "<0.01" : NumberText.format("%.2f", ratio.low());
        String high = ratio.high() > SHOWN_MAX ? ">100" : NumberText.format("%.2f", ratio.high());
        return low + "-" + high;
    }

    private static String verdict(Cell cell) {
        if (cell.figures() == null) {
            return cell.problem() == null
                    ? "not measured"
                    : cell.failed() > 0 ? "failed" : "skipped";
        }
        int all = cell.verdicts().stream().mapToInt(StudyRecord.Verdicts::trials).sum();
        return cell.verdicts().stream()
                .map(one ->
                        one.trials() == all
                                ? one.told()
                                : "%s (%d of %d)".formatted(one.told(), one.trials(), all))
                .collect(Collectors.joining("; "));
    }

    /// What has to be known of the table, one sentence each.
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (Cell cell : study.cells()) {
            if (cell.problem() != null) {
                notes.add("cell " + cell.number() + told(cell) + ": " + cell.problem());
            }
        }
        if (study.cells().stream().anyMatch(cell -> cell.invalid() > 0)) {
            notes.add(
                    "invalid: the load generator was the wall, or got no CPU; such trials say nothing about the"
                            + " service and are in no figure and no comparison, but where a cell has"
                            + " no others: it can do at least (>=) that");
        }
        String changing =
                study.factors().stream()
                        .filter(StudyRecord.Factor::changesLoad)
                        .map(StudyRecord.Factor::name)
                        .collect(Collectors.joining(", "));
        if (!changing.isEmpty()) {
            notes.add(
                    "%d different loads (%s): each cell is compared with the first one of its own load"
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

    /// Which JVMs ran. Those with and without an archive of classes are not alike.
    private void jvms(List<String> notes) {
        Set<String> told = new TreeSet<>();
        Set<Boolean> archives = new HashSet<>();
        for (RunRecord.Trial trial : run.trials()) {
            told.add(VerdictText.jvms(trial.observation().facts()));
            trial.observation().facts().services().stream()
                    .map(SandboxFacts.ServiceFacts::runtime)
                    .filter(Objects::nonNull)
                    .forEach(runtime -> archives.add(runtime.usesArchive()));
        }
        told.remove("");
        told.forEach(jvms -> notes.add("JVMs: " + jvms));
        if (archives.size() > 1) {
            notes.add(
                    "some JVMs had an archive of classes and some had none: start-up and memory do"
                            + " not compare");
        }
    }

    private void missed(List<String> notes) {
        List<Cell> asked =
                study.cells().stream().filter(cell -> cell.objectiveMet() != null).toList();
        String missed =
                asked.stream()
                        .filter(cell -> Boolean.FALSE.equals(cell.objectiveMet()))
                        .map(cell -> Integer.toString(cell.number()))
                        .collect(Collectors.joining(", "));
        if (!asked.isEmpty()) {
            notes.add(
                    missed.isEmpty()
                            ? "the objective was met in all cells that were measured"
                            : "the objective was MISSED in cells " + missed);
        }
    }

    private static String told(Cell cell) {
        String told =
                cell.factors().entrySet().stream()
                        .map(factor -> factor.getKey() + " " + factor.getValue())
                        .collect(Collectors.joining(", "));
        return told.isEmpty() ? "" : " (" + told + ")";
    }

    /// `poolSize 64 against 8`.
    static String named(Effect effect) {
        return "%s %s against %s".formatted(effect.factor(), effect.to(), effect.from());
    }

    /// What a value does, and where it does something else.
    List<String> said(Effect effect) {
        List<String> said = new ArrayList<>();
        String other = changesLoad(effect) ? "(another load) " : "";
        if (effect.connects() != null) {
            said.add(other + "connects " + ratio(effect.connects()));
        }
        said.add(
                other
                        + (held() ? "messages " : "throughput ")
                        + ratio(effect.throughput())
                        + extremes(effect.where(), Where::throughput));
        if (effect.p99() != null) {
            said.add("p99 " + ratio(effect.p99()) + extremes(effect.where(), Where::p99));
        }
        return said;
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

    /// Where the effect is smallest and largest, if these cannot be the same.
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
                                ratio(least),
                                known.getFirst().told(),
                                ratio(most),
                                known.getLast().told())
                : "";
    }

    /// The best cells, one sentence each.
    List<String> best() {
        return study.best().stream().map(this::best).toList();
    }

    private String best(StudyRecord.Best best) {
        Cell cell = study.cells().get(best.cell() - 1);
        Figures figures = Objects.requireNonNull(cell.figures());
        String of =
                study.loads() == 1
                        ? ""
                        : best.load() == 0 ? " of all, whose loads differ" : with(cell);
        String alike =
                best.alike().isEmpty()
                        ? ""
                        : "; not told apart from it: "
                                + (best.alike().size() == 1 ? "cell " : "cells ")
                                + best.alike().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(", "));
        String once = cell.trials().size() == 1 ? " (one trial)" : "";
        return "Best%s: cell %d%s, %s, p99 %s, %s in %s%s%s"
                .formatted(
                        of,
                        cell.number(),
                        told(cell),
                        done(figures),
                        known(figures.p99Nanos(), NumberText::millis),
                        figures.errors() == null
                                ? "errors not told"
                                : NumberText.plural(figures.errors(), "error", "errors"),
                        NumberText.seconds(figures.seconds()),
                        once,
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
        lines.table(rows(), right()).blank();
        notes().forEach(note -> lines.add("  ", note));
        if (!study.effects().isEmpty()) {
            lines.blank().strong("Effects (all other factors equal, 95 % interval)");
        }
        for (Effect effect : study.effects()) {
            lines.add("  ", named(effect));
            said(effect).forEach(said -> lines.add("    ", said));
        }
        if (!study.best().isEmpty()) {
            lines.blank();
        }
        best().forEach(lines::strong);
    }
}
