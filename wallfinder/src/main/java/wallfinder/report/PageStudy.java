package wallfinder.report;

import java.util.List;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The study on the page: its cells and their effects.
final class PageStudy {
    private PageStudy() {}

    static void write(RunRecord run, StudyRecord study, Html html) {
        StudyTable table = new StudyTable(run, study);
        html.paragraphs("result", List.of(table.heading()));
        html.paragraphs("result", table.best());
        html.table(table.table());
        html.paragraphs("quiet", table.notes());
        if (study.effects().isEmpty()) {
            return;
        }
        html.raw("<h2>Effects</h2>\n<ul>\n");
        for (StudyRecord.Effect effect : study.effects()) {
            html.element(
                    "li",
                    "",
                    StudyTable.name(effect) + ": " + String.join("; ", table.details(effect)));
        }
        html.raw("</ul>\n");
    }
}
