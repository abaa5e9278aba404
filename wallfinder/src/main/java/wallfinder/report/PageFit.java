package wallfinder.report;

import java.util.List;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The fit on the page: the limits of each candidate and every trial.
final class PageFit {
    private PageFit() {}

    static void write(RunRecord run, FitRecord fit, Html html) {
        FitTable table = new FitTable(run, fit);
        html.paragraphs("result", List.of(table.heading()));
        html.paragraphs("result", table.results());
        PageTries.write(fit, html);
        html.table(table.table());
        html.paragraphs("quiet", table.notes());
        FitRecord.Turning turning = fit.turning();
        if (turning != null) {
            html.element("h2", "", FitTable.turningHeading(turning));
            html.table(FitTable.turns(turning));
            html.paragraphs("quiet", List.of(FitTable.TURNS_NOTE));
        }
        StudyRecord frontier = run.study();
        if (frontier != null) {
            StudyTable points = new StudyTable(run, frontier);
            html.element("h2", "", FitTable.FRONTIER);
            PageStudy.cells(frontier, html);
            html.table(points.table());
            html.paragraphs("quiet", points.notes());
        }
        html.raw("<details><summary>All trials</summary>\n<ul>\n");
        table.trials().forEach(trial -> html.element("li", "", trial));
        html.raw("</ul>\n</details>\n");
    }
}
