package wallfinder.lab.find;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.observation.Caveat;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// Verifies a remedy by pairs of trials with and without it. Each trial runs in a fresh sandbox,
/// after the same work below the wall, under the same load. The order of the arms is ABBA, so that
/// a drift of the host affects both arms alike. A pair that is repeated keeps its order.
final class Verification {
    /// An interval needs at least two pairs.
    private static final int PAIRS_MIN = 2;

    /// Pairs whose generator got too little CPU are repeated, up to this many turns per pair.
    private static final int TURNS_PER_PAIR = 2;

    private final TrialRunner runner;
    private final Interruption interruption;
    private final Progress progress;
    private final RandomGenerator random;
    private final List<RunRecord.Trial> trials;

    /// @param trials gets each trial as soon as it is measured
    Verification(
            TrialRunner runner,
            Interruption interruption,
            Progress progress,
            RandomGenerator random,
            List<RunRecord.Trial> trials) {
        this.runner = runner;
        this.interruption = interruption;
        this.progress = progress;
        this.random = random;
        this.trials = trials;
    }

    /// The load of both arms.
    ///
    /// @param harm what the wall does; a remedy is kept if it reduces this
    /// @param warmUp the work below the wall that each service does first
    /// @param attempts how many remedies are tried as one question
    record At(Harm harm, int connections, WarmUp warmUp, int attempts) {}

    /// @return null with fewer than two pairs, because the host was too busy
    /// @throws NotStarted if the services did not start with the remedy
    /// @throws CancellationException if the user stopped before the pairs decided
    @Nullable Applied verify(Experiment before, Remedy remedy, At at, String label) {
        Experiment after = applied(before, remedy);
        Arms arms = new Arms();
        int measuredBefore = trials.size();
        PairVerdict verdict = null;
        int limited = 0;
        ShownPairs shown = ShownPairs.begin("testing " + remedy.text(), before.repeat(), progress);
        for (int turn = 1; turn <= TURNS_PER_PAIR * before.repeat(); turn++) {
            shown.show(arms.pairs());
            boolean withFirst = arms.pairs() % 2 == 1;
            String name = label + "-pair-" + turn;
            RunRecord.Trial first = run(withFirst ? after : before, at, name, withFirst);
            RunRecord.Trial second = run(withFirst ? before : after, at, name, !withFirst);
            if (starved(first) || starved(second)) {
                progress.say("    a pair is discarded: something else took the generator's CPU");
                discardPair(trials);
                continue;
            }
            RunRecord.Trial with = withFirst ? first : second;
            RunRecord.Trial without = withFirst ? second : first;
            arms.add(without.observation().load(), with.observation().load());
            limited += with.invalid() ? 1 : 0;
            sayPair(arms, before.repeat());
            if (arms.pairs() >= PAIRS_MIN) {
                verdict = PairVerdict.of(arms, at.harm(), before.repeat(), at.attempts(), random);
                if (verdict.decided() || arms.pairs() == before.repeat()) {
                    break;
                }
            }
        }
        if (verdict == null) {
            return null;
        }
        boolean few = arms.pairs() < before.repeat() && !verdict.decided();
        if (few) {
            verdict = PairVerdict.last(arms, at.harm(), before.repeat(), at.attempts(), random);
        }
        Applied measured = applied(remedy, verdict, trials.subList(measuredBefore, trials.size()));
        Applied applied = few && !verdict.kept() ? measured.undecided() : measured;
        return 2 * limited > arms.pairs() ? applied.limitedByGenerator() : applied;
    }

    static boolean starved(RunRecord.Trial trial) {
        return LoadGenerator.starved(trial.observation().load());
    }

    /// Its trials stay in the record under names that no comparison takes for those of a pair.
    static void discardPair(List<RunRecord.Trial> trials) {
        trials.subList(trials.size() - 2, trials.size())
                .replaceAll(trial -> trial.named(trial.name() + "-discarded"));
    }

    private void sayPair(Arms arms, int of) {
        progress.say(
                "    pair %d of at most %d: %,.1f/s without, %,.1f/s with"
                        .formatted(
                                arms.pairs(),
                                of,
                                Arms.speed(arms.without().getLast()),
                                Arms.speed(arms.with().getLast())));
    }

    static Experiment applied(Experiment experiment, Remedy remedy) {
        Experiment changed = experiment;
        for (Change change : remedy.changes()) {
            changed = changed.with(change.setting(), change.to());
        }
        return changed;
    }

    /// @throws CancellationException if the user stopped, because a shortened trial cannot be part
    ///   of a pair
    private RunRecord.Trial run(Experiment experiment, At at, String name, boolean with) {
        interruption.check();
        RunRecord.Trial trial =
                measured(experiment, at, name, with)
                        .as(with ? RunRecord.Role.PAIR_WITH : RunRecord.Role.PAIR_WITHOUT);
        trials.add(trial);
        interruption.check();
        return trial;
    }

    private RunRecord.Trial measured(Experiment experiment, At at, String name, boolean with) {
        String arm = name + (with ? "-with" : "-without");
        try {
            return runner.single(experiment, at.connections(), at.warmUp(), arm);
        } catch (NotStarted e) {
            throw with ? e : NotStarted.inside(e);
        }
    }

    private Applied applied(Remedy remedy, PairVerdict verdict, List<RunRecord.Trial> pairs) {
        Applied applied =
                new Applied(
                        remedy,
                        verdict.throughput(),
                        verdict.p99(),
                        verdict.before(),
                        verdict.after(),
                        verdict.kept());
        return applied.mends() ? applied.masking(masked(pairs)) : applied;
    }

    /// The cause that most trials with the remedy still show: connections are closed as before,
    /// only the ports last longer. Other walls do not count as causes: if they show fewer signs,
    /// they have moved.
    private static @Nullable WallId masked(List<RunRecord.Trial> pairs) {
        WallId cause = WallId.CONNECTION_CHURN;
        List<RunRecord.Trial> with =
                pairs.stream().filter(trial -> trial.role() == RunRecord.Role.PAIR_WITH).toList();
        long still = with.stream().filter(trial -> near(trial, cause)).count();
        return 2 * still > with.size() ? cause : null;
    }

    private static boolean near(RunRecord.Trial trial, WallId wall) {
        return trial.diagnosis().caveats().stream()
                .anyMatch(c -> c instanceof Caveat.Near near && near.wall() == wall);
    }
}
