package wallfinder.report;

import java.util.ArrayList;
import java.util.List;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Scalability;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Applied;
import wallfinder.record.Climbs;
import wallfinder.record.KeepRule;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// What a remedy did, in words, the same on the terminal and on the page.
final class RemedyText {
    /// A service that starts under the load and serves less than this share of the warm rate does
    /// not warm up at the wall.
    private static final double STARTED_SHARE = 0.5;

    private RemedyText() {}

    /// `4.10 times, 2.50-4.80 (95 % interval, 5 pairs; medians 467.0/s -> 3,567.0/s)`.
    static String gain(Applied applied) {
        return applied.comparable()
                ? NumberText.format(
                        "%s (95 %% interval, %s %s)",
                        applied.text(), measured(applied), medians(applied))
                : applied.text();
    }

    /// What the two figures are.
    static String measured(Applied applied) {
        return applied.raised() != null
                ? "capacity"
                : NumberText.plural(applied.throughput().pairs(), "pair", "pairs") + "; medians";
    }

    /// How a service scales, below its wall.
    static String law(Scalability law) {
        double highest = law.highestPerSecond();
        return "the Universal Scalability Law: "
                + Climbs.words(law)
                + (Double.isFinite(highest)
                        ? NumberText.format("; no rate above %,.0f/s", highest)
                        : "; it allows any rate");
    }

    /// Which figure a remedy raised.
    static String figure(Applied applied) {
        return applied.raised() == null ? "throughput" : "capacity";
    }

    /// The proof that a capacity was raised; empty if none was needed.
    static String proof(Applied applied) {
        RunRecord.Raised raised = applied.raised();
        return raised == null || raised.pairs() == 0
                ? ""
                : NumberText.format(
                        "at %,.1f/s, in pairs: without it the objective was missed in %d of %d"
                                + " trials, with it held in %d of %d",
                        raised.perSecond(),
                        raised.missedWithout(),
                        raised.pairs(),
                        raised.heldWith(),
                        raised.pairs());
    }

    /// A remedy that was tested, with its gain. If it seems to help, but was not kept, this says
    /// why.
    ///
    /// @param harm what it was to reduce
    static String attempt(Applied applied, Harm harm) {
        String missing = KeepRule.missing(applied, harm);
        return applied.remedy().text()
                + ": "
                + gain(applied)
                + (missing.isEmpty() ? "" : ": " + missing);
    }

    /// A remedy without figures.
    static String unmeasured(RunRecord.Unmeasured unmeasured) {
        return unmeasured.remedy().text() + ": " + unmeasured.why();
    }

    /// What the wall of a rung does, which its remedies are to reduce.
    static Harm harm(Diagnosis diagnosis) {
        Judgement.Binds headline = diagnosis.headline();
        return headline == null || headline.harm() == null ? Harm.THROUGHPUT : headline.harm();
    }

    /// `467.0/s -> 3,567.0/s`.
    static String medians(Applied applied) {
        return NumberText.format(
                "%,.1f/s -> %,.1f/s", applied.before().perSecond(), applied.after().perSecond());
    }

    /// The rate at a rung: the median without a remedy if pairs were measured, because it comes
    /// from several processes; otherwise the rate of the climb.
    private static String rate(Rung rung, Trial trial) {
        if (rung.capacity() != null) {
            return NumberText.format("%,.1f", rung.capacity().ratePerSecond());
        }
        Applied applied = rung.paired();
        return applied == null
                ? LoadText.rate(trial.observation().load())
                : NumberText.format("%,.1f", applied.before().perSecond());
    }

    /// The title of the rates of a ladder.
    static String rateTitle(RunRecord run) {
        return run.capacity() == null ? "answers/s" : "capacity/s";
    }

    /// A row of the ladder: rung, wall, end, answers/s or capacity/s, p99, errors and load.
    static List<String> cells(int number, Rung rung, Trial trial) {
        LoadOutcome load = trial.observation().load();
        Judgement.Binds wall = trial.diagnosis().headline();
        return List.of(
                Integer.toString(number),
                wall == null ? trial.diagnosis().verdict().word() : wall.wall().id().word(),
                wall == null ? "-" : wall.end().word(),
                rate(rung, trial),
                NumberText.percentile(load.responseNanos(), 99),
                NumberText.count(load.failed()),
                LoadText.brief(load));
    }

    /// What the remedy did to p99 and to the errors.
    static String sideEffects(Applied applied) {
        List<String> effects = new ArrayList<>();
        RatioInterval p99 = applied.p99();
        if (Double.isFinite(p99.ratio()) && p99.ratio() > 0) {
            effects.add(
                    switch (p99.effect()) {
                        case NONE ->
                                (p99.isUnclear() ? "p99 unclear, " : "p99 no effect, ")
                                        + NumberText.interval(p99);
                        case MORE -> "p99 rose" + change(applied, p99);
                        case LESS -> "p99 fell" + change(applied, p99.inverse());
                    });
        }
        effects.add(
                NumberText.format(
                        "failed requests: %s before, %s after",
                        failed(applied.before()), failed(applied.after())));
        return String.join("; ", effects);
    }

    /// ` from 1,070 ms to 95.2 ms (11.24 times, 10.82-11.68)`.
    private static String change(Applied applied, RatioInterval times) {
        return NumberText.format(
                " from %s to %s (%.2f times, %s)",
                NumberText.millis(applied.before().p99Nanos()),
                NumberText.millis(applied.after().p99Nanos()),
                times.ratio(),
                NumberText.interval(times));
    }

    private static String failed(RunRecord.Side side) {
        return NumberText.format("%,d of %,d", side.errors(), side.requests());
    }

    /// Says that the wall keeps a starting service from warming up; empty if it does not.
    static String startedUnderLoad(Rung rung) {
        Double started = rung.startedUnderLoad();
        Applied applied = rung.remedy();
        if (started == null
                || applied == null
                || started >= STARTED_SHARE * applied.before().perSecond()) {
            return "";
        }
        return NumberText.format(
                "without the remedy, a service that starts under this load serves %,.1f/s instead of"
                        + " %,.1f/s: the wall keeps it from warming up",
                started, applied.before().perSecond());
    }
}
