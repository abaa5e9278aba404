package wallfinder.lab.find;

import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.NotStarted;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// Proves that a remedy raises a capacity. The intervals of the two capacities must be apart. Then
/// three pairs of trials run at a rate between them, in the order ABBA, each with fresh services:
/// all must miss the objective without the remedy, and hold it with it.
///
/// @param trials gets each trial as soon as it is measured
record CapacityPairs(
        RateTrials rates,
        Interruption interruption,
        Progress progress,
        List<RunRecord.Trial> trials) {
    private static final int PAIRS = 3;

    /// Pairs whose generator got too little CPU, or was the limit, are repeated.
    private static final int TURNS_MAX = 2 * PAIRS;

    private static final double ERROR_RATE = 0.05;

    static final String LIMITED =
            "no remedy could be proven: the generator was the limit in most pairs";

    /// The services of both arms.
    record Services(Experiment without, Experiment with) {}

    /// @param unproven why too few pairs were measured, if all of these agree; null otherwise
    record Compared(Applied applied, @Nullable String unproven) {}

    /// @throws NotStarted if the services did not start with the remedy
    Compared compare(Services services, Remedy remedy, CapacityGain gain, String label) {
        Arms arms = new Arms();
        String discarded = null;
        int missedWithout = 0;
        int heldWith = 0;
        double rate = gain.between();
        for (int turn = 1; gain.apart() && arms.pairs() < PAIRS && turn <= TURNS_MAX; turn++) {
            boolean withFirst = arms.pairs() % 2 == 1;
            String name = label + "pair-" + turn;
            RunRecord.Trial first = trial(services, withFirst, rate, name);
            RunRecord.Trial second = trial(services, !withFirst, rate, name);
            RunRecord.Trial without = withFirst ? second : first;
            RunRecord.Trial with = withFirst ? first : second;
            if (Verification.starved(without) || Verification.starved(with)) {
                progress.say("    a pair is discarded: something else took the generator's CPU");
                Verification.discardPair(trials);
                discarded = Find.TOO_BUSY;
                continue;
            }
            if (generatorsMiss(without) || generatorsMiss(with)) {
                progress.say("    a pair is discarded: the generator was the limit");
                Verification.discardPair(trials);
                discarded = LIMITED;
                continue;
            }
            arms.add(without.observation().load(), with.observation().load());
            missedWithout += held(without) ? 0 : 1;
            heldWith += held(with) ? 1 : 0;
            progress.say(
                    "    pair %d of %d at %,.1f/s: the objective was %s without, %s with"
                            .formatted(arms.pairs(), PAIRS, rate, word(without), word(with)));
        }
        RunRecord.Raised raised = new RunRecord.Raised(rate, arms.pairs(), missedWithout, heldWith);
        return new Compared(
                applied(remedy, gain, arms, raised), agreeSoFar(raised) ? discarded : null);
    }

    private RunRecord.Trial trial(Services services, boolean with, double rate, String name) {
        interruption.check();
        RunRecord.Trial trial =
                measured(services, with, rate, name)
                        .as(with ? RunRecord.Role.PAIR_WITH : RunRecord.Role.PAIR_WITHOUT);
        trials.add(trial);
        interruption.check();
        return trial;
    }

    private RunRecord.Trial measured(Services services, boolean with, double rate, String name) {
        try {
            return with
                    ? rates.at(services.with(), rate, name + "-with")
                    : rates.at(services.without(), rate, name + "-without");
        } catch (NotStarted e) {
            throw with ? e : NotStarted.inside(e);
        }
    }

    private static boolean agreeSoFar(RunRecord.Raised raised) {
        return raised.pairs() < PAIRS
                && raised.missedWithout() == raised.pairs()
                && raised.heldWith() == raised.pairs();
    }

    private static boolean held(RunRecord.Trial trial) {
        return Boolean.TRUE.equals(trial.objectiveMet());
    }

    private static boolean generatorsMiss(RunRecord.Trial trial) {
        return trial.invalid() && !held(trial);
    }

    private static String word(RunRecord.Trial trial) {
        return held(trial) ? "held" : "missed";
    }

    private static Applied applied(
            Remedy remedy, CapacityGain gain, Arms arms, RunRecord.Raised raised) {
        RandomGenerator random = new Random(Find.SEED);
        boolean kept =
                raised.pairs() == PAIRS
                        && raised.missedWithout() == PAIRS
                        && raised.heldWith() == PAIRS;
        RatioInterval p99 =
                arms.pairs() > 1
                        ? arms.p99(ERROR_RATE, random)
                        : new RatioInterval(Double.NaN, Double.NaN, Double.NaN, arms.pairs());
        return new Applied(
                remedy,
                gain.ratio(),
                p99,
                side(gain.before(), arms.without()),
                side(gain.after(), arms.with()),
                kept,
                raised);
    }

    /// The capacity, with the response times and failures of the pairs.
    private static RunRecord.Side side(CapacityRecord capacity, List<LoadOutcome> pairs) {
        if (pairs.isEmpty()) {
            return new RunRecord.Side(capacity.ratePerSecond(), Double.NaN, 0, 0, List.of());
        }
        RunRecord.Side measured = Arms.side(pairs);
        return new RunRecord.Side(
                capacity.ratePerSecond(),
                measured.p99Nanos(),
                measured.errors(),
                measured.requests(),
                List.of());
    }
}
