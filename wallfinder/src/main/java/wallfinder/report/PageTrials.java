package wallfinder.report;

import java.util.List;
import java.util.Map;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.experiment.Matrix;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// The trials on the page, with their evidence folded.
final class PageTrials {
    /// Nobody reads more than this on a page. `run.json` has all trials.
    private static final int TRIALS_MAX = 200;

    private PageTrials() {}

    static void write(RunRecord run, Html html) {
        html.raw(
                "<section id=\"trials\">\n<h2>Trials</h2>\n<div class=\"wide\" tabindex=\"0\"><table>\n");
        html.raw("<thead><tr><th>trial<th class=\"n\">answers/s<th class=\"n\">mean");
        html.raw("<th class=\"n\">p50<th class=\"n\">p99<th class=\"n\">max<th>errors");
        html.raw("<th>load<th>verdict</tr></thead>\n<tbody>\n");
        run.trials().stream().limit(TRIALS_MAX).forEach(trial -> row(trial, html));
        html.raw("</tbody></table></div>\n");
        int left = run.trials().size() - TRIALS_MAX;
        if (left > 0) {
            html.element("p", "quiet", NumberText.count(left) + " more are in run.json.");
        }
        html.raw("</section>\n");
    }

    static void doubts(RunRecord run, Html html) {
        Map<String, String> doubts = VerdictText.doubts(run);
        if (doubts.isEmpty()) {
            return;
        }
        html.raw("<section id=\"doubts\">\n<h2>Doubts</h2>\n");
        doubts.forEach((id, advice) -> {
            html.raw("<p><span class=\"caveat\">").text(id).raw("</span> ");
            html.text(advice).raw("</p>\n");
        });
        html.raw("</section>\n");
    }

    /// `250.3 answers/s, p99 1,040 ms (256 connections in lockstep, one per request, 5.0 s; errors:
    /// none).`
    static String figures(Trial trial) {
        LoadOutcome load = trial.observation().load();
        if (load instanceof LoadOutcome.Unseen) {
            return LoadText.describe(load)
                    + ": "
                    + WatchedLevels.summary(trial.observation())
                    + ".";
        }
        return NumberText.format(
                "%s answers/s, p99 %s (%s; errors: %s).",
                LoadText.rate(load),
                NumberText.percentile(load.responseNanos(), 99),
                LoadText.describe(load),
                LoadText.errors(load));
    }

    private static void row(Trial trial, Html html) {
        LoadOutcome load = trial.observation().load();
        var response = load.responseNanos();
        boolean any = response.getTotalCount() > 0;
        html.raw("<tr><td>").text(trial.name());
        html.element("td", "n", LoadText.rate(load));
        html.element("td", "n", any ? NumberText.millis(response.getMean()) : "-");
        html.element("td", "n", NumberText.percentile(response, 50));
        html.element("td", "n", NumberText.percentile(response, 99));
        html.element("td", "n", any ? NumberText.millis(response.getMaxValue()) : "-");
        html.element("td", "", LoadText.errors(load));
        html.element("td", "", LoadText.brief(load));
        html.raw("<td><details><summary>").text(brief(trial.diagnosis())).raw("</summary>\n");
        html.element("p", "quiet", Matrix.describe(trial.factors()));
        LoadText.generators(load).forEach(from -> html.element("p", "quiet", "from " + from));
        judgement(trial, html);
        for (Caveat caveat : trial.allCaveats()) {
            html.element("p", "caveat", caveat.id() + ": " + caveat.advice());
        }
        html.raw("</details></tr>\n");
    }

    private static String brief(Diagnosis diagnosis) {
        return diagnosis
                .wallId()
                .map(wall -> diagnosis.verdict().word() + ": " + wall)
                .orElse(diagnosis.verdict().word());
    }

    /// The verdict, its evidence, what else binds, and why the other walls are not named.
    static void judgement(Trial trial, Html html) {
        Diagnosis diagnosis = trial.diagnosis();
        if (diagnosis.headline() == null) {
            html.element("p", "", VerdictText.verdict(trial) + ".");
        } else {
            html.element("p", "binds", VerdictText.verdict(trial));
            evidence(diagnosis.headline().evidence(), html);
        }
        diagnosis.also().forEach(also -> alsoBinds(also, html));
        if (!diagnosis.ruledOut().isEmpty()) {
            html.raw("<details><summary>").text("Walls not named: " + diagnosis.ruledOut().size());
            html.raw("</summary>\n<ul class=\"out\">\n");
            diagnosis
                    .ruledOut()
                    .forEach(out ->
                            html.element(
                                    "li",
                                    "",
                                    "not " + out.wall().id().word() + ": " + out.because()));
            html.raw("</ul>\n</details>\n");
        }
    }

    private static void alsoBinds(Judgement.Binds binds, Html html) {
        html.element("p", "binds", "also " + VerdictText.wall(binds));
        evidence(binds.evidence(), html);
    }

    private static void evidence(List<Evidence> evidence, Html html) {
        html.raw("<ul class=\"evidence\">\n");
        for (Evidence one : evidence) {
            html.raw("<li>").text(one.says()).raw(" <code>").text(VerdictText.reading(one));
            html.raw("</code>\n");
        }
        html.raw("</ul>\n");
    }
}
