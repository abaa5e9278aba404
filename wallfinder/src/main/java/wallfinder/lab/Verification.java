package wallfinder.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.ConnectionChurn;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.observation.LoadOutcome;
import wallfinder.report.RunRecord;

/// Proves a remedy: the same load with and without it, each trial in a fresh sandbox, interleaved
/// as ABBA so that what drifts on the host hits both alike.
final class Verification {
    /// A remedy that gives less is not worth its price.
    private static final double GAIN_MIN = 1.05;

    private static final double TAIL_MAX = 0.9;

    /// An interval needs a spread.
    private static final int PAIRS_MIN = 2;

    /// A pair that was measured while the generator had no CPU is repeated, as long as there are
    /// not more such pairs than others.
    private static final int TURNS_PER_PAIR = 2;

    private static final String PAIR = "-pair-";
    private static final String WITH = "-with";
    private static final String WITHOUT = "-without";

    private final RunContext context;
    private final RandomGenerator random;
    private final List<RunRecord.Trial> trials;

    /// @param trials where each trial is kept as soon as it is measured
    Verification(RunContext context, RandomGenerator random, List<RunRecord.Trial> trials) {
        this.context = context;
        this.random = random;
        this.trials = trials;
    }

    /// What was measured without and with the remedy, pair by pair.
    private record Pairs(List<LoadOutcome> without, List<LoadOutcome> with) {}

    /// @param harm what the wall does: a remedy is kept if it mends that
    /// @return null if there are less than two pairs: the user stopped, or the host was too busy
    RunRecord.@Nullable Applied verify(
            Experiment before, Remedy remedy, Harm harm, int connections, String label) {
        Experiment after = applied(before, remedy);
        Pairs pairs = new Pairs(new ArrayList<>(), new ArrayList<>());
        for (int turn = 1; turn <= TURNS_PER_PAIR * before.repeat(); turn++) {
            boolean withFirst = turn % 2 == 0;
            String name = label + PAIR + turn;
            LoadOutcome first = run(withFirst ? after : before, connections, name, withFirst);
            LoadOutcome second = run(withFirst ? before : after, connections, name, !withFirst);
            if (first == null || second == null) {
                break;
            }
            if (LoadGenerator.starved(first) || LoadGenerator.starved(second)) {
                context.progress()
                        .say("    a pair is discarded: something else took the generator's CPU");
                continue;
            }
            pairs.without().add(withFirst ? second : first);
            pairs.with().add(withFirst ? first : second);
            tell(pairs, before.repeat());
            if (pairs.with().size() == before.repeat()) {
                break;
            }
        }
        return pairs.with().size() < PAIRS_MIN ? null : judge(remedy, harm, pairs, label);
    }

    private void tell(Pairs pairs, int of) {
        context.progress()
                .say(
                        "    pair %d of %d: %,.1f/s without, %,.1f/s with"
                                .formatted(
                                        pairs.with().size(),
                                        of,
                                        speed(pairs.without().getLast()),
                                        speed(pairs.with().getLast())));
    }

    static Experiment applied(Experiment experiment, Remedy remedy) {
        Experiment changed = experiment;
        for (Change change : remedy.changes()) {
            changed = changed.with(change.setting(), change.to());
        }
        return changed;
    }

    /// @return null if the user stopped: a measurement that was cut short is not one of a pair
    private @Nullable LoadOutcome run(
            Experiment experiment, int connections, String name, boolean with) {
        if (context.interruption().isRequested()) {
            return null;
        }
        RunRecord.Trial trial =
                new Bench(context).single(experiment, connections, name + (with ? WITH : WITHOUT));
        trials.add(trial);
        return context.interruption().isRequested() ? null : trial.observation().load();
    }

    private RunRecord.Applied judge(Remedy remedy, Harm harm, Pairs pairs, String label) {
        RatioInterval unknown =
                new RatioInterval(Double.NaN, Double.NaN, Double.NaN, pairs.with().size());
        RatioInterval throughput =
                tellsRate(pairs.without()) && tellsRate(pairs.with())
                        ? ratio(pairs, Verification::speed)
                        : unknown;
        RatioInterval p99 =
                tellsTimes(pairs.without()) && tellsTimes(pairs.with())
                        ? ratio(pairs, outcome -> outcome.responseNanos().getValueAtPercentile(99))
                        : unknown;
        RunRecord.Side before = side(pairs.without());
        RunRecord.Side after = side(pairs.with());
        boolean kept =
                switch (harm) {
                    case THROUGHPUT ->
                            throughput.low() >= GAIN_MIN && after.errors() <= before.errors();
                    case LATENCY -> p99.high() <= TAIL_MAX && after.errors() <= before.errors();
                    case ERRORS -> after.errors() <= before.errors() / 2;
                };
        boolean mended = before.errors() > 0 && after.errors() <= before.errors() / 2;
        String masks = mended ? masked(label) : null;
        return new RunRecord.Applied(remedy, throughput, p99, before, after, kept, masks);
    }

    /// The cause that is as it was in most of the trials with the remedy: connections are closed as
    /// before, only the ports last. Other walls are no causes: with fewer of their signs, they have
    /// moved.
    private @Nullable String masked(String label) {
        String cause = new ConnectionChurn().id();
        List<RunRecord.Trial> with =
                trials.stream()
                        .filter(trial -> trial.name().startsWith(label + PAIR))
                        .filter(trial -> trial.name().endsWith(WITH))
                        .toList();
        long still = with.stream().filter(trial -> near(trial, cause)).count();
        return 2 * still > with.size() ? cause : null;
    }

    private static boolean near(RunRecord.Trial trial, String wall) {
        return trial.diagnosis().caveats().stream().anyMatch(c -> c.id().equals("near:" + wall));
    }

    /// What a remedy has to make more: answers a second. Messages over held connections may come
    /// due by the clock, whatever stops them: then it is how fast the connections were there.
    private static double speed(LoadOutcome load) {
        LoadOutcome.Hold hold = load.hold();
        if (hold == null || hold.intervalSeconds() == 0) {
            return load.throughput();
        }
        boolean settled = !Double.isNaN(hold.openingSeconds());
        return hold.fate(LoadOutcome.Hold.ALIVE)
                / (settled ? hold.openingSeconds() : load.seconds());
    }

    /// A command that does not tell what it did has no rate to be compared.
    private static boolean tellsRate(List<LoadOutcome> outcomes) {
        return outcomes.stream()
                .noneMatch(load ->
                        load.ofCommand() && load.answered() == 0 && load.networkErrors() == 0);
    }

    /// Nor does a command tell how long an answer took.
    private static boolean tellsTimes(List<LoadOutcome> outcomes) {
        return outcomes.stream().allMatch(load -> load.responseNanos().getTotalCount() > 0);
    }

    private static RunRecord.Side side(List<LoadOutcome> outcomes) {
        double[] sorted = outcomes.stream().mapToDouble(Verification::speed).sorted().toArray();
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new RunRecord.Side(
                median, outcomes.stream().mapToLong(LoadOutcome::networkErrors).sum());
    }

    private RatioInterval ratio(Pairs pairs, ToDoubleFunction<LoadOutcome> figure) {
        return Bootstrap.ratio(
                figures(pairs.without(), figure), figures(pairs.with(), figure), random);
    }

    /// A trial without a single answer has no rate to divide by: the least above nothing stands for
    /// it.
    private static double[] figures(
            List<LoadOutcome> outcomes, ToDoubleFunction<LoadOutcome> figure) {
        return outcomes.stream().mapToDouble(figure).map(v -> Math.max(v, 1e-9)).toArray();
    }
}
