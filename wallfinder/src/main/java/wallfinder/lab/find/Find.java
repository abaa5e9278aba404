package wallfinder.lab.find;

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
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;

/// Climbs to the wall, names it, moves it, proves that it moved, and climbs on to the next.
public final class Find {
    /// A ladder with more walls than this goes round in circles.
    private static final int RUNGS_MAX = 8;

    public static final String INTERRUPTED = "interrupted";
    public static final String TOO_BUSY =
            "the host was too busy to prove a remedy: something else took the generator's CPU in most pairs";

    /// The same resamples for the same figures.
    private static final long SEED = 20_260_101L;

    private final Interruption interruption;
    private final Progress progress;
    private final TrialRunner runner;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<RunRecord.Rung> ladder = new ArrayList<>();
    private final Verification verification;
    private boolean tooBusy;

    public Find(RunContext context) {
        this(new SandboxTrialRunner(context), context.interruption(), context.progress());
    }

    Find(TrialRunner runner, Interruption interruption, Progress progress) {
        this.runner = runner;
        this.interruption = interruption;
        this.progress = progress;
        this.verification =
                new Verification(runner, interruption, progress, new Random(SEED), trials);
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
        Climb.Start start = Climb.Start.FIRST;
        String ended = "the ladder has %d rungs: that is enough for one run".formatted(RUNGS_MAX);
        for (int number = 1; number <= RUNGS_MAX; number++) {
            Climb.Climbed climbed = runner.climb(current, start, "climb-" + number, trials::add);
            if (climbed.trials().isEmpty() || interruption.isRequested()) {
                return result(INTERRUPTED);
            }
            Step step = step(current, climbed.before(), number);
            if (step.next() == null) {
                ended = step.ended();
                break;
            }
            current = step.next();
            start =
                    new Climb.Start(
                            climbed.trials().getLast().observation().load().connections(),
                            climbed.before());
        }
        return result(interruption.isRequested() ? INTERRUPTED : ended);
    }

    private Result result(String ended) {
        return new Result(List.copyOf(trials), List.copyOf(ladder), ended, null);
    }

    /// @param next the experiment with the remedy in it, or null if it ends here
    private record Step(@Nullable Experiment next, String ended) {}

    private Step step(Experiment current, WarmUp warmUp, int number) {
        int index = trials.size() - 1;
        RunRecord.Trial trial = trials.get(index);
        Diagnosis diagnosis = trial.diagnosis();
        Judgement.Binds binds = diagnosis.headline();
        progress.say(describe(trial));
        List<RunRecord.Applied> tried = number == 1 ? tried(current, trial, warmUp) : List.of();
        List<RunRecord.Applied> without = new ArrayList<>();
        RunRecord.Applied kept = null;
        if (binds != null && diagnosis.verdict() == Verdict.NAMED) {
            kept = move(current, trial, binds, warmUp, number, without);
        }
        List<Advice> advice =
                binds == null || kept != null
                        ? List.of()
                        : binds.wall().advice(binds, trial.observation());
        Double startedUnderLoad = kept == null ? null : startedUnderLoad(current, trial, number);
        if (kept != null) {
            trials.set(index, ClimbAgreement.of(trial, kept));
        }
        ladder.add(
                new RunRecord.Rung(
                        index, kept, List.copyOf(without), tried, advice, startedUnderLoad));
        if (kept != null) {
            return new Step(Verification.applied(current, kept.remedy()), "");
        }
        return new Step(null, tooBusy ? TOO_BUSY : ended(trial, !without.isEmpty()));
    }

    private RunRecord.@Nullable Applied move(
            Experiment current,
            RunRecord.Trial trial,
            Judgement.Binds binds,
            WarmUp warmUp,
            int number,
            List<RunRecord.Applied> without) {
        Harm harm = Objects.requireNonNull(binds.harm(), "a load of ours is seen");
        int attempt = 0;
        for (Remedy remedy : Remedies.of(binds, trial.observation(), current)) {
            attempt++;
            if (!canBeApplied(remedy, trial.observation().facts())) {
                progress.say(
                        "not tested: %s: without network namespaces a run changes no kernel setting"
                                .formatted(remedy.told()));
                continue;
            }
            RunRecord.Applied applied =
                    verify(
                            current,
                            remedy,
                            at(harm, trial, warmUp),
                            "rung-%d-remedy-%d".formatted(number, attempt));
            if (applied == null) {
                tooBusy = !interruption.isRequested();
                return null;
            }
            if (applied.kept()) {
                return applied;
            }
            without.add(applied);
        }
        return null;
    }

    private static Verification.At at(Harm harm, RunRecord.Trial trial, WarmUp warmUp) {
        return new Verification.At(harm, trial.observation().load().connections(), warmUp);
    }

    /// On the host's own network kernel settings stay as they are: both arms would be the same.
    static boolean canBeApplied(Remedy remedy, SandboxFacts facts) {
        boolean kernels =
                remedy.changes().stream()
                        .anyMatch(change ->
                                change.setting() instanceof Setting.OfSysctl
                                        || change.setting() instanceof Setting.OfResolver);
        return !kernels || facts.ownCounters();
    }

    /// Good answers a second of a service that starts under the load at the wall, as after a
    /// restart at rush hour; null where nothing was measured.
    private @Nullable Double startedUnderLoad(
            Experiment current, RunRecord.Trial trial, int number) {
        boolean asksAtOnce =
                current.load() instanceof LoadSpec.Http http
                        && !(http.arrival() instanceof Arrival.Open)
                        && !http.warmup().isZero();
        if (!asksAtOnce || interruption.isRequested()) {
            return null;
        }
        progress.say("  starting the service under this load, without the remedy");
        int connections = trial.observation().load().connections();
        RunRecord.Trial started =
                runner.single(
                                current,
                                connections,
                                WarmUp.untilWarm(connections),
                                "rung-%d-started-under-load".formatted(number))
                        .as(RunRecord.Role.STARTED_UNDER_LOAD);
        trials.add(started);
        return started.observation().load().throughput();
    }

    private RunRecord.@Nullable Applied verify(
            Experiment current, Remedy remedy, Verification.At at, String label) {
        progress.say("testing " + remedy.told());
        RunRecord.Applied applied = verification.verify(current, remedy, at, label);
        if (applied != null) {
            progress.say("  " + remedy.told() + ": " + applied.told());
        }
        return applied;
    }

    /// The settings under `try`, each alone.
    private List<RunRecord.Applied> tried(
            Experiment current, RunRecord.Trial trial, WarmUp warmUp) {
        List<RunRecord.Applied> tried = new ArrayList<>();
        for (String name : current.tries()) {
            Setting setting = current.setting(name);
            String from = current.value(setting);
            Optional<String> to =
                    from == null ? Optional.empty() : TryValue.larger(current, setting, from);
            if (from == null || to.isEmpty()) {
                continue;
            }
            Change change = new Change(setting, from, to.get());
            Remedy remedy = new Remedy(List.of(change), "");
            if (!canBeApplied(remedy, trial.observation().facts())) {
                progress.say(
                        "not tested: %s: without network namespaces a run changes no kernel setting"
                                .formatted(remedy.told()));
                continue;
            }
            RunRecord.Applied applied =
                    verify(
                            current,
                            remedy,
                            at(Harm.THROUGHPUT, trial, warmUp),
                            "rung-1-try-" + name);
            if (applied != null) {
                tried.add(applied);
            }
        }
        return List.copyOf(tried);
    }

    private static String describe(RunRecord.Trial trial) {
        Diagnosis diagnosis = trial.diagnosis();
        LoadOutcome load = trial.observation().load();
        String rate =
                switch (load) {
                    case LoadOutcome.Command _ ->
                            "the load command, %,d answers in %.1f s"
                                    .formatted(load.answered(), load.seconds());
                    case LoadOutcome.Held held ->
                            "%,d of %,d connections alive"
                                    .formatted(
                                            held.hold().fate(LoadOutcome.Hold.ALIVE),
                                            held.connections());
                    case LoadOutcome.Requests _, LoadOutcome.Unseen _ ->
                            "%,.0f requests/s with %d connections"
                                    .formatted(load.throughput(), load.connections());
                };
        return switch (diagnosis.verdict()) {
            case NAMED, INVALID -> rate + ": " + diagnosis.wallId().orElse("");
            case UNNAMED -> rate + ": a wall that is not known; " + diagnosis.seen();
            case NONE ->
                    rate
                            + (load.answers().mostlyBadAlone()
                                    ? ": one request alone gets a bad answer, too"
                                    : ": it did not stop");
        };
    }

    static String ended(RunRecord.Trial trial, boolean anyTried) {
        Judgement.Binds binds = trial.diagnosis().headline();
        return switch (trial.diagnosis().verdict()) {
            case INVALID -> "the generator is the limit: the last rate is a lower bound";
            case NONE ->
                    trial.observation().load().answers().mostlyBadAlone()
                            ? "one request alone gets a bad answer, too: there is no wall to look for"
                            : "nothing stopped it up to the largest load that was tried";
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
