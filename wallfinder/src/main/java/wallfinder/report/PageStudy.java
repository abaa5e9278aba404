package wallfinder.report;

import java.util.List;
import java.util.Objects;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Matrix;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.record.StudyRecord.Cell;
import wallfinder.record.StudyRecord.Effect;
import wallfinder.record.StudyRecord.Figures;

/// The study on the page: its cells and their effects, as pictures and as tables.
final class PageStudy {
    private PageStudy() {}

    static void write(RunRecord run, StudyRecord study, Html html) {
        StudyTable table = new StudyTable(run, study);
        html.paragraphs("result", List.of(table.heading()));
        html.paragraphs("result", table.best());
        cells(study, html);
        html.table(table.table());
        html.paragraphs("quiet", table.notes());
        if (study.effects().isEmpty()) {
            return;
        }
        html.raw("<h2>Effects</h2>\n");
        effects(study, html);
        html.raw("<ul>\n");
        for (Effect effect : study.effects()) {
            html.element(
                    "li",
                    "",
                    StudyTable.name(effect) + ": " + String.join("; ", table.details(effect)));
        }
        html.raw("</ul>\n");
    }

    /// The rate of each cell that was measured.
    static void cells(StudyRecord study, Html html) {
        List<DotPlot.Row> rows =
                study.cells().stream()
                        .filter(cell -> cell.figures() != null)
                        .map(cell -> row(cell, Objects.requireNonNull(cell.figures())))
                        .filter(row -> !Double.isNaN(row.value()))
                        .toList();
        DotPlot.fromZero("Good answers a second of each cell, with 95 % intervals", rows, html);
        if (rows.stream().anyMatch(row -> !row.counts())) {
            html.paragraphs("quiet", List.of("A hollow dot is a lower bound"));
        }
    }

    private static DotPlot.Row row(Cell cell, Figures figures) {
        String factors = Matrix.describe(cell.factors());
        double rate = figures.perSecond();
        RatioInterval spread = figures.spread();
        return new DotPlot.Row(
                cell.number() + (factors.isEmpty() ? "" : ": " + factors),
                rate,
                spread == null ? rate : spread.low(),
                spread == null ? rate : spread.high(),
                "%s%s, %s"
                        .formatted(
                                cell.counts() ? "" : ">= ",
                                NumberText.perSecond(rate),
                                StudyTable.verdict(cell)),
                cell.counts());
    }

    private static void effects(StudyRecord study, Html html) {
        List<DotPlot.Row> rows =
                study.effects().stream()
                        .filter(effect -> effect.throughput() != null)
                        .map(effect -> row(effect, Objects.requireNonNull(effect.throughput())))
                        .toList();
        if (!rows.isEmpty()) {
            DotPlot.aroundOne(
                    "The throughput of each value against the first one, with 95 % intervals",
                    rows, html);
        }
    }

    private static DotPlot.Row row(Effect effect, RatioInterval ratio) {
        return new DotPlot.Row(
                StudyTable.name(effect),
                ratio.ratio(),
                ratio.low(),
                ratio.high(),
                NumberText.format("%.2f times", ratio.ratio()),
                true);
    }
}
