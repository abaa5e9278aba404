package wallfinder.report;

import java.util.List;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Harm;
import wallfinder.record.Applied;
import wallfinder.record.Climbs;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// The ladder on the page: a row for each wall, with its evidence and remedies below.
final class PageLadder {
    private static final List<String> CLASSES = List.of("n", "wall", "", "n", "n", "n", "");

    private PageLadder() {}

    static void write(RunRecord run, Html html) {
        if (run.ladder().isEmpty()) {
            return;
        }
        html.raw(
                "<section id=\"ladder\">\n<h2>The ladder</h2>\n<div class=\"wide\" tabindex=\"0\"><table>\n");
        html.raw("<thead><tr><th class=\"n\">rung<th>wall<th>on<th class=\"n\">");
        html.text(RemedyText.rateTitle(run));
        html.raw("<th class=\"n\">p99<th class=\"n\">errors<th>load<th>moved by");
        html.raw("<th>gain (95 % interval)</tr></thead>\n");
        List<List<Trial>> climbs = Climbs.of(run);
        for (int i = 0; i < run.ladder().size(); i++) {
            Rung rung = run.ladder().get(i);
            String scales = Climbs.law(climbs.get(i)).map(RemedyText::law).orElse("");
            rung(i + 1, rung, run.trials().get(rung.trial()), scales, html);
        }
        html.raw("</table></div>\n</section>\n");
    }

    private static void rung(int number, Rung rung, Trial trial, String scales, Html html) {
        Applied applied = rung.remedy();
        html.raw("<tbody>\n<tr>");
        List<String> cells = RemedyText.cells(number, rung, trial);
        for (int i = 0; i < cells.size(); i++) {
            html.element("td", CLASSES.get(i), cells.get(i));
        }
        html.element("td", "", applied == null ? "nothing" : applied.remedy().text());
        html.raw("<td>");
        if (applied == null) {
            html.raw("-");
        } else {
            gain(applied, html);
        }
        html.raw("</tr>\n<tr class=\"more\"><td><td colspan=\"8\">");
        below(rung, trial, html);
        if (!scales.isEmpty()) {
            html.element("p", "quiet", "Scales by " + scales + ".");
        }
        html.raw("</tr>\n</tbody>\n");
    }

    private static void gain(Applied applied, Html html) {
        html.raw("<strong class=\"gain\">").text(applied.text()).raw("</strong> ");
        html.raw("<span class=\"quiet\">");
        html.text(RemedyText.measured(applied) + " " + RemedyText.medians(applied));
        html.raw("</span>");
    }

    private static void below(Rung rung, Trial trial, Html html) {
        if (rung.capacity() != null) {
            html.element("p", "", "Capacity: " + CapacityText.headline(rung.capacity()) + ".");
        }
        String started = RemedyText.startedUnderLoad(rung);
        if (!started.isEmpty()) {
            html.element("p", "quiet", started);
        }
        html.raw("<details open><summary>Evidence</summary>\n");
        PageTrials.judgement(trial, html);
        html.raw("</details>\n");
        Budget.of(trial.observation()).ifPresent(budget -> new BudgetTable(budget).write(html));
        Applied remedy = rung.remedy();
        if (remedy != null) {
            if (remedy.raised() != null) {
                html.element("p", "", "Proof: " + RemedyText.proof(remedy) + ".");
            }
            String effects = RemedyText.sideEffects(remedy);
            html.element("p", "", "After it: " + effects + ". Price: " + remedy.remedy().price());
            PagePairs.write(remedy, html);
        }
        Harm harm = RemedyText.harm(trial.diagnosis());
        for (Applied without : rung.without()) {
            html.element("p", "attempt", "Not moved by " + RemedyText.attempt(without, harm));
            PagePairs.write(without, html);
        }
        for (Applied tried : rung.tried()) {
            html.element(
                    "p", "attempt", "Also tried: " + RemedyText.attempt(tried, Harm.THROUGHPUT));
            PagePairs.write(tried, html);
        }
        for (RunRecord.Unmeasured unmeasured : rung.unmeasured()) {
            html.element("p", "attempt", "Not measured: " + RemedyText.unmeasured(unmeasured));
        }
        if (remedy == null) {
            advice(rung.advice(), html);
        }
    }

    /// The changes that would move the wall of a service outside of a sandbox.
    static void advice(List<Advice> all, Html html) {
        if (all.isEmpty()) {
            return;
        }
        html.raw("<p>What would move it (not verified):</p>\n<ul>\n");
        for (Advice advice : all) {
            html.raw("<li>").text(advice.command());
            html.raw(" <span class=\"quiet\">price: ").text(advice.price()).raw("</span>\n");
        }
        html.raw("</ul>\n");
    }
}
