package wallfinder.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Remedies;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.report.RunRecord;

/// Climbs to the wall, names it, moves it, proves that it moved, and climbs on to the next.
public final class Find {
    /// A ladder with more walls than this goes round in circles.
    private static final int RUNGS_MAX = 8;

    static final String INTERRUPTED = "interrupted";
    static final String TOO_BUSY =
            "the host was too busy to prove a remedy: something else took the generator's CPU in most pairs";

    /// The same resamples for the same figures.
    private static final long SEED = 20_260_101L;

    private final RunContext context;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<RunRecord.Rung> ladder = new ArrayList<>();
    private final Verification verification;
    private boolean tooBusy;

    public Find(RunContext context) {
        this.context = context;
        this.verification = new Verification(context, new Random(SEED), trials);
    }

    /// What came of it.
    ///
    /// @param ended one sentence: why it stopped
    public record Result(
            List<RunRecord.Trial> trials,
            List<RunRecord.Rung> ladder,
            String ended,
            @Nullable RuntimeException failure) {
        /// The trial of the last rung, or null if there is none.
        public RunRecord.@Nullable Trial last() {
            return ladder.isEmpty() ? null : trials.get(ladder.getLast().trial());
        }

        /// True if at least one remedy was proven.
        public boolean anyVerified() {
            return ladder.stream().anyMatch(rung -> rung.remedy() != null);
        }
    }

    /// Refuses a load that no climb can tell a wall of, before anything is made.
    ///
    /// @throws UsageException if connections are held without messages, or are not only counted
    ///   when they fail
    public static void check(Experiment experiment) {
        if (!(experiment.load() instanceof LoadSpec.Hold(HoldSpec spec, _, _))) {
            return;
        }
        boolean asks = spec.messages().kind() == HoldSpec.Kind.ECHO;
        if (!asks || spec.onError() != HoldSpec.OnError.COUNT) {
            throw new UsageException(
                    "find cannot raise the connections of this experiment",
                    asks
                            ? "a connection that fails is to be counted, and not to end the run or to be"
                                    + " opened again"
                            : "no messages go over them whose answers tell whether a remedy helps",
                    (asks ? "leave `onError` out" : "leave `idle` and `push` out")
                            + ", or measure it as it stands with `run`");
        }
    }

    /// Climbs from wall to wall. A user who stops it gets what was measured so far. Runs until it
    /// ends. If it fails after something was measured, that is in the result.
    public Result run(Experiment experiment) {
        try {
            return climb(experiment);
        } catch (CancellationException e) {
            return result(INTERRUPTED);
        } catch (EnvironmentException | UsageException e) {
            if (trials.isEmpty()) {
                throw e;
            }
            return new Result(
                    List.copyOf(trials), List.copyOf(ladder), "it failed: " + e.getMessage(), e);
        }
    }

    private Result climb(Experiment experiment) {
        Experiment current = experiment;
        int from = 0;
        String ended = "the ladder has %d rungs: that is enough for one run".formatted(RUNGS_MAX);
        for (int number = 1; number <= RUNGS_MAX; number++) {
            List<RunRecord.Trial> climbed =
                    new Bench(context).climb(current, from, "climb-" + number, trials::add);
            if (climbed.isEmpty() || context.interruption().isRequested()) {
                return result(INTERRUPTED);
            }
            Step step = step(current, number);
            if (step.next() == null) {
                ended = step.ended();
                break;
            }
            current = step.next();
            from = climbed.getLast().observation().load().connections();
        }
        return result(context.interruption().isRequested() ? INTERRUPTED : ended);
    }

    private Result result(String ended) {
        return new Result(List.copyOf(trials), List.copyOf(ladder), ended, null);
    }

    /// @param next the experiment with the remedy in it, or null if it ends here
    private record Step(@Nullable Experiment next, String ended) {}

    private Step step(Experiment current, int number) {
        int index = trials.size() - 1;
        RunRecord.Trial trial = trials.get(index);
        Diagnosis diagnosis = trial.diagnosis();
        Judgement.Binds binds = diagnosis.headline();
        context.progress().say(told(trial));
        List<RunRecord.Applied> tried = number == 1 ? tried(current, trial, number) : List.of();
        List<RunRecord.Applied> without = new ArrayList<>();
        RunRecord.Applied kept = null;
        if (binds != null && diagnosis.verdict() == Verdict.NAMED) {
            kept = move(current, trial, binds, number, without);
        }
        List<Advice> advice =
                binds == null || kept != null
                        ? List.of()
                        : binds.wall().advice(binds, trial.observation());
        ladder.add(new RunRecord.Rung(index, kept, List.copyOf(without), tried, advice));
        if (kept != null) {
            return new Step(Verification.applied(current, kept.remedy()), "");
        }
        return new Step(null, tooBusy ? TOO_BUSY : ended(trial, !without.isEmpty()));
    }

    private RunRecord.@Nullable Applied move(
            Experiment current,
            RunRecord.Trial trial,
            Judgement.Binds binds,
            int number,
            List<RunRecord.Applied> without) {
        int attempt = 0;
        for (Remedy remedy : Remedies.of(binds, trial.observation(), current)) {
            attempt++;
            RunRecord.Applied applied =
                    verify(
                            current,
                            remedy,
                            Objects.requireNonNull(binds.harm(), "a load of ours is seen"),
                            trial,
                            "rung-%d-remedy-%d".formatted(number, attempt));
            if (applied == null) {
                tooBusy = !context.interruption().isRequested();
                return null;
            }
            if (applied.kept()) {
                return applied;
            }
            without.add(applied);
        }
        return null;
    }

    private RunRecord.@Nullable Applied verify(
            Experiment current, Remedy remedy, Harm harm, RunRecord.Trial trial, String label) {
        context.progress().say("testing " + remedy.told());
        RunRecord.Applied applied =
                verification.verify(
                        current, remedy, harm, trial.observation().load().connections(), label);
        if (applied != null) {
            context.progress().say("  " + remedy.told() + ": " + applied.told());
        }
        return applied;
    }

    /// The settings under `try`, each alone.
    private List<RunRecord.Applied> tried(Experiment current, RunRecord.Trial trial, int number) {
        List<RunRecord.Applied> tried = new ArrayList<>();
        for (String name : current.tries()) {
            Setting setting = current.setting(name);
            String from = current.value(setting);
            Optional<String> to =
                    from == null ? Optional.empty() : Try.larger(current, setting, from);
            if (from == null || to.isEmpty()) {
                continue;
            }
            Change change = new Change(setting, from, to.get());
            Remedy remedy = new Remedy(List.of(change), "");
            RunRecord.Applied applied =
                    verify(
                            current,
                            remedy,
                            Harm.THROUGHPUT,
                            trial,
                            "rung-%d-try-%s".formatted(number, name));
            if (applied != null) {
                tried.add(applied);
            }
        }
        return List.copyOf(tried);
    }

    private static String told(RunRecord.Trial trial) {
        Diagnosis diagnosis = trial.diagnosis();
        LoadOutcome load = trial.observation().load();
        String rate =
                load.ofCommand()
                        ? "the load command, %,d answers in %.1f s"
                                .formatted(load.answered(), load.seconds())
                        : load.hold() != null
                                ? "%,d of %,d connections alive"
                                        .formatted(
                                                load.hold().fate(LoadOutcome.Hold.ALIVE),
                                                load.connections())
                                : "%,.0f requests/s with %d connections"
                                        .formatted(load.throughput(), load.connections());
        return switch (diagnosis.verdict()) {
            case NAMED, INVALID -> rate + ": " + diagnosis.wallId().orElse("");
            case UNNAMED -> rate + ": a wall that is not known; " + diagnosis.seen();
            case NONE -> rate + ": it did not stop";
        };
    }

    static String ended(RunRecord.Trial trial, boolean anyTried) {
        Judgement.Binds binds = trial.diagnosis().headline();
        return switch (trial.diagnosis().verdict()) {
            case INVALID -> "the generator is the limit: the last rate is a lower bound";
            case NONE -> "nothing stopped it up to the largest load that was tried";
            case UNNAMED -> "it stopped, and no known wall explains it";
            case NAMED ->
                    binds != null && binds.wall() instanceof Cpu
                            ? "the %s uses all its CPU: no setting moves that"
                                    .formatted(binds.end() == End.CLIENT ? "client" : "service")
                            : anyTried
                                    ? "no remedy that the experiment allows moved the wall"
                                    : "the experiment has no remedy for this wall";
        };
    }
}
