package wallfinder.report;

import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// The smallest limits of a service, and what they are worth.
final class PageFit {
    private PageFit() {}

    static void write(RunRecord run, FitRecord fit, Html html) {
        FitTable table = new FitTable(run, fit);
        html.element("p", "result", table.heading() + ".");
        table.results().forEach(result -> html.element("p", "result", result + "."));
        PageStudy.table(table.rows(), FitTable.right(), html);
        table.notes().forEach(note -> html.element("p", "quiet", note + "."));
        FitRecord.Turning turning = fit.turning();
        if (turning != null) {
            html.element("h2", "", FitTable.turningHeading(turning));
            PageStudy.table(FitTable.turns(turning), FitTable.turnsRight(), html);
            html.element("p", "quiet", FitTable.TURNS_NOTE + ".");
        }
        StudyRecord frontier = run.study();
        if (frontier != null) {
            StudyTable points = new StudyTable(run, frontier);
            html.raw("<h2>" + FitTable.FRONTIER + "</h2>\n");
            PageStudy.table(points.rows(), points.right(), html);
            points.notes().forEach(note -> html.element("p", "quiet", note + "."));
        }
        html.raw("<details><summary>All that was tried</summary>\n<ul>\n");
        table.tries().forEach(tried -> html.element("li", "", tried));
        html.raw("</ul>\n</details>\n");
    }
}
