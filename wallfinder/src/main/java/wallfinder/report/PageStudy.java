package wallfinder.report;

import java.util.List;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The cells of a study side by side.
final class PageStudy {
    private PageStudy() {}

    static void write(RunRecord run, StudyRecord study, Html html) {
        StudyTable table = new StudyTable(run, study);
        html.element("p", "result", table.heading() + ".");
        table.best().forEach(best -> html.element("p", "result", best + "."));
        table(table.rows(), table.right(), html);
        table.notes().forEach(note -> html.element("p", "quiet", note + "."));
        if (study.effects().isEmpty()) {
            return;
        }
        html.raw("<h2>Effects</h2>\n<ul>\n");
        for (StudyRecord.Effect effect : study.effects()) {
            html.element(
                    "li",
                    "",
                    StudyTable.named(effect) + ": " + String.join("; ", table.said(effect)));
        }
        html.raw("</ul>\n");
    }

    /// @param rows the first one is the head
    /// @param right whether a column is of figures
    static void table(List<List<String>> rows, boolean[] right, Html html) {
        html.raw("<div class=\"wide\"><table>\n<thead>");
        row("th", rows.getFirst(), right, html);
        html.raw("</thead>\n<tbody>\n");
        rows.stream().skip(1).forEach(row -> row("td", row, right, html));
        html.raw("</tbody></table></div>\n");
    }

    private static void row(String cell, List<String> texts, boolean[] right, Html html) {
        html.raw("<tr>");
        for (int i = 0; i < texts.size(); i++) {
            html.element(cell, right[i] ? "n" : "", texts.get(i));
        }
        html.raw("</tr>\n");
    }
}
