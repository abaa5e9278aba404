package wallfinder.report;

import java.util.Map;
import java.util.Objects;
import wallfinder.record.Applied;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// The top of the page: the command and its result.
final class PageHead {
    private PageHead() {}

    static void write(RunRecord run, Html html) {
        heading(run, html);
        html.raw("<section id=\"result\">\n");
        result(run, html);
        if (run.ended() != null) {
            html.element("p", "ended", "Ended: " + run.ended());
        }
        html.raw("</section>\n");
    }

    /// The name, the command and the host.
    static void heading(RunRecord run, Html html) {
        html.raw("<header>\n").element("h1", "", run.name());
        html.element("p", "command", run.command());
        html.raw("<p class=\"quiet\">").text(run.startedAt());
        for (Map.Entry<String, Object> fact : run.host().entrySet()) {
            html.raw(" <span class=\"fact\">").text(fact(fact.getKey(), fact.getValue()));
            html.raw("</span>");
        }
        run.trials().stream()
                .map(trial -> trial.factors().get(RunRecord.PEER_HOST))
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(host -> {
                    html.raw(" <span class=\"fact\">").text("server watched on " + host);
                    html.raw("</span>");
                });
        html.raw("</p>\n</header>\n");
    }

    private static void result(RunRecord run, Html html) {
        if (run.trials().isEmpty()) {
            html.element("p", "result", "Nothing was measured.");
        }
        if (run.fit() != null) {
            PageFit.write(run, run.fit(), html);
            return;
        }
        if (run.study() != null) {
            PageStudy.write(run, run.study(), html);
            return;
        }
        if (run.capacity() != null) {
            PageCapacity.write(run, run.capacity(), html);
            if (run.ladder().isEmpty()) {
                return;
            }
        }
        if (run.ladder().isEmpty() && !run.trials().isEmpty()) {
            single(run.trials().getLast(), html);
        }
        for (Rung rung : run.ladder()) {
            Applied applied = rung.remedy();
            String moved =
                    applied == null
                            ? ""
                            : " Moved by %s: %s."
                                    .formatted(applied.remedy().text(), RemedyText.gain(applied));
            Trial trial = run.trials().get(rung.trial());
            html.raw("<p class=\"result\"><strong>").text(VerdictText.verdict(trial));
            html.raw("</strong>: ").text(PageTrials.figures(trial) + moved).raw("</p>\n");
        }
    }

    /// Without a ladder the last trial is the result.
    private static void single(Trial trial, Html html) {
        html.element("p", "result", PageTrials.figures(trial));
        PageTrials.judgement(trial, html);
        PageLadder.advice(trial.advice(), html);
    }

    private static String fact(String name, Object value) {
        return name.endsWith("Bytes") && value instanceof Number bytes
                ? name.substring(0, name.length() - 5) + " " + NumberText.bytes(bytes.doubleValue())
                : name + " " + value;
    }
}
