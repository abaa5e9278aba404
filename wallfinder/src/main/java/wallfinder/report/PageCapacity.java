package wallfinder.report;

import java.util.List;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// A capacity on the page: the rate, how it was confirmed, and the wall above.
final class PageCapacity {
    private PageCapacity() {}

    static void write(RunRecord run, CapacityRecord capacity, Html html) {
        html.raw("<p class=\"result\"><strong>")
                .text(CapacityText.headline(capacity))
                .raw("</strong></p>\n");
        if (!capacity.pairs().isEmpty()) {
            html.paragraphs(
                    "result",
                    List.of(
                            "Confirmed by " + CapacityText.confirmation(capacity),
                            "Predicted: " + CapacityText.prediction(capacity)));
        }
        if (capacity.wall() != null && run.ladder().isEmpty()) {
            Trial trial = run.trials().get(capacity.wall());
            html.raw("<p class=\"result\">Above it: <strong>")
                    .text(VerdictText.verdict(trial))
                    .raw("</strong>: ")
                    .text(PageTrials.figures(trial))
                    .raw("</p>\n");
        }
    }
}
