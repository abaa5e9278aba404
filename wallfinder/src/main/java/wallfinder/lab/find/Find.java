package wallfinder.lab.find;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.JvmCatalogue;
import wallfinder.diagnosis.Remedies;
import wallfinder.diagnosis.Remedy;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;
import wallfinder.experiment.WallId;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.live.Planned;
import wallfinder.live.Step;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;
import wallfinder.sampling.HugePages;
import wallfinder.sandbox.JvmFlags;

/// Climbs to the wall, names it, moves it, verifies that it moved, and climbs on to the next.
public final class Find {
    /// A ladder with more rungs than this probably repeats itself.
    private static final int RUNGS_MAX = 8;

    private static final Set<WallId> PROFILED =
            Set.of(WallId.CPU, WallId.GC, WallId.LOCK_CONTENTION);

    public static final String INTERRUPTED = "interrupted";
    public static final String TOO_BUSY =
            "the host was too busy to prove a remedy: something else took the generator's CPU in most pairs";

    /// The same figures always give the same resamples.
    static final long SEED = 20_260_101L;

    private final Interruption interruption;
    private final Progress progress;
    private final TrialRunner runner;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<RunRecord.Rung> ladder = new ArrayList<>();
    private final Verification verification;
    private boolean tooBusy;
    private int remediesTried;

    public Find(TrialHosts hosts) {
        this(
                new SandboxTrialRunner(hosts),
                hosts.context().interruption(),
                hosts.context().progress());
    }

    Find(TrialRunner runner, Interruption interruption, Progress progress) {
        this.runner = runner;
        this.interruption = interruption;
        this.progress = progress;
        this.verification =
                new Verification(runner, interruption, progress, new Random(SEED), trials);
    }

    /// @param ended why the climb ended, in one sentence
    /// @param failure the error that ended it, or null
    public record Result(
            List<RunRecord.Trial> trials,
            List<RunRecord.Rung> ladder,
            String ended,
            @Nullable RuntimeException failure) {
        /// The trial of the last rung, or null if there is none.
        public RunRecord.@Nullable Trial last() {
            return ladder.isEmpty() ? null : trials.get(ladder.getLast().trial());
        }

        /// Whether at least one remedy moved a wall.
        public boolean anyVerified() {
            return ladder.stream().anyMatch(rung -> rung.remedy() != null);
        }
    }

    /// Refuses a load whose wall no climb can find.
    ///
    /// @throws UsageException if it holds connections without messages, or does not count failures
    public static void check(Experiment experiment) {
        TryValue.check(experiment);
        if (!(experiment.load() instanceof LoadSpec.Hold(HoldSpec spec, _, _, _))) {
            return;
        }
        boolean asks = spec.messages().kind() == HoldSpec.Kind.ECHO;
        if (!asks || spec.onError() != HoldSpec.OnError.COUNT) {
            throw new UsageException(
                    "find cannot raise the connections of this experiment",
                    asks
                            ? "a failed connection would end the run or be opened again; find has to count it"
                            : "they carry no messages whose answers show whether a remedy helps",
                    (asks ? "leave `onError` out" : "leave `idle` and `push` out")
                            + ", or measure the experiment with `run`");
        }
    }

    /// Climbs from wall to wall until it ends or fails, or the user stops it. The result contains
    /// what was measured until then. If it fails before the first measurement, it throws.
    public Result run(Experiment experiment) {
        String ended;
        RuntimeException failure = null;
        try {
            ended = climb(experiment);
        } catch (CancellationException e) {
            ended = INTERRUPTED;
        } catch (RuntimeException e) {
            if (trials.isEmpty()) {
                throw e;
            }
            failure = NotStarted.inside(e);
            ended = Capacity.failed(failure);
        }
        return new Result(List.copyOf(trials), List.copyOf(ladder), ended, failure);
    }

    /// @return why the climb ended
    private String climb(Experiment experiment) {
        Experiment current = experiment;
        Climb.Start start = Climb.Start.FIRST;
        String ended = "the ladder has %d rungs: that is enough for one run".formatted(RUNGS_MAX);
        for (int number = 1; number <= RUNGS_MAX; number++) {
            Climb.Climbed climbed =
                    runner.climb(
                            current,
                            start,
                            "climb-" + number,
                            new ShownClimb(
                                    "climb " + number,
                                    progress,
                                    new Forecast(progress, trials::add)));
            if (climbed.trials().isEmpty() || interruption.isRequested()) {
                return INTERRUPTED;
            }
            RunRecord.Trial last = trials.getLast();
            OpenRung rung = rung(current, climbed.before(), number);
            if (rung.kept() == null) {
                ended = rung.end(last);
                break;
            }
            current = Verification.applied(current, rung.kept().remedy());
            start = new Climb.Start(last.observation().load().connections(), climbed.before());
        }
        return interruption.isRequested() ? INTERRUPTED : ended;
    }

    /// Tests the remedies of the wall that the last trial reached.
    ///
    /// @return the rung, which is part of the ladder even if something ends this
    private OpenRung rung(Experiment current, WarmUp warmUp, int number) {
        OpenRung open = new OpenRung(trials.size() - 1);
        try {
            test(current, warmUp, number, open);
        } finally {
            RunRecord.Trial wall = trials.get(open.index());
            RunRecord.Rung rung = open.rung(wall, null);
            Applied paired = rung.paired();
            if (paired != null) {
                trials.set(open.index(), ClimbAgreement.of(wall, paired));
            }
            ladder.add(rung);
        }
        return open;
    }

    private void test(Experiment current, WarmUp warmUp, int number, OpenRung open) {
        remediesTried = 0;
        RunRecord.Trial trial = trials.get(open.index());
        Judgement.Binds binds = trial.diagnosis().headline();
        progress.say(describe(trial));
        if (number == 1) {
            tried(current, trial, warmUp, open);
        }
        open.turnsToTheWall();
        if (binds != null && trial.diagnosis().verdict() == Verdict.NAMED) {
            Moving moving = new Moving(current, trial, binds, warmUp, number, open);
            move(Remedies.of(binds, trial.observation(), current), 1, moving);
            if (open.kept() == null
                    && mayMoveByJvm(binds)
                    && current.tries().contains(Experiment.TRY_JVM)) {
                List<Remedy> ofJvm = ofJvm(current, trial.observation());
                move(ofJvm, ofJvm.size(), moving);
            }
        }
        if (binds != null && isProfiled(binds)) {
            open.profile(profile(current, open.kept(), trial, warmUp, number));
        }
        if (open.kept() != null) {
            open.startedUnderLoad(startedUnderLoad(current, trial, number));
        }
    }

    /// Walls whose next question is what the CPUs do.
    private static boolean isProfiled(Judgement.Binds binds) {
        return binds.end() == End.SERVER && PROFILED.contains(binds.wall().id());
    }

    private RunRecord.@Nullable Profile profile(
            Experiment current,
            @Nullable Applied kept,
            RunRecord.Trial trial,
            WarmUp warmUp,
            int number) {
        if (interruption.isRequested()) {
            return null;
        }
        begin("  profiling the service at this load");
        int connections = trial.observation().load().connections();
        String name = "rung-%d-profile".formatted(number);
        Optional<TrialRunner.Profiled> profiled =
                runner.profile(current, connections, warmUp, name);
        profiled.ifPresent(found -> trials.addAll(found.trials()));
        RunRecord.Profile profile = profiled.map(Profiles::of).orElse(null);
        if (profile == null || kept == null) {
            return profile;
        }
        Experiment after = Verification.applied(current, kept.remedy());
        return profile.with(
                new ProfilePairs(runner, interruption, progress, trials)
                        .measure(current, after, connections, warmUp, name)
                        .orElse(null));
    }

    /// A wall that is to be moved.
    ///
    /// @param open gets what the tests of its remedies showed
    private record Moving(
            Experiment current,
            RunRecord.Trial trial,
            Judgement.Binds binds,
            WarmUp warmUp,
            int number,
            OpenRung open) {}

    /// Tests remedies until one moves the wall.
    ///
    /// @param attempts how many of the remedies are one question
    private void move(List<Remedy> remedies, int attempts, Moving wall) {
        Harm harm = Objects.requireNonNull(wall.binds().harm(), "a load of ours is seen");
        Verification.At at = at(harm, wall.trial(), wall.warmUp(), attempts);
        for (int i = 0; i < remedies.size() && wall.open().kept() == null && !tooBusy; i++) {
            Remedy remedy = remedies.get(i);
            if (wall.open().has(remedy) || !canBeTested(remedy, wall.trial(), wall.open())) {
                continue;
            }
            String label = "rung-%d-remedy-%d".formatted(wall.number(), ++remediesTried);
            try {
                verify(wall.current(), remedy, at, label, wall.open())
                        .ifPresent(wall.open()::tested);
            } catch (RuntimeException e) {
                wall.open().ended(remedies.subList(i, remedies.size()));
                throw e;
            }
        }
    }

    private static Verification.At at(
            Harm harm, RunRecord.Trial trial, WarmUp warmUp, int attempts) {
        return new Verification.At(
                harm, trial.observation().load().connections(), warmUp, attempts);
    }

    /// Walls that options of a JVM may move.
    private static boolean mayMoveByJvm(Judgement.Binds binds) {
        return binds.end() == End.SERVER
                && (binds.wall().id() == WallId.CPU || binds.wall().id() == WallId.GC);
    }

    /// The options of the busiest JVM that are worth trying, without those that another rung has
    /// already tried in vain.
    private List<Remedy> ofJvm(Experiment current, Observation observation) {
        String service = JvmCatalogue.service(current, observation).orElse("");
        Set<String> flags =
                observation.facts().services().stream()
                        .filter(facts -> facts.name().equals(service))
                        .map(SandboxFacts.ServiceFacts::runtime)
                        .filter(Objects::nonNull)
                        .map(jvm -> JvmFlags.of(Path.of(jvm.home())))
                        .findFirst()
                        .orElse(Set.of());
        if (flags.isEmpty()) {
            progress.say("no option of a JVM is tested: no JVM of a service says what it has");
            return List.of();
        }
        List<Remedy> inVain =
                ladder.stream()
                        .flatMap(rung -> rung.without().stream())
                        .map(Applied::remedy)
                        .toList();
        return JvmCatalogue.remedies(current, observation, service, flags, HugePages.onRequest())
                .stream()
                .filter(remedy -> !inVain.contains(remedy))
                .toList();
    }

    private boolean canBeTested(Remedy remedy, RunRecord.Trial trial, OpenRung open) {
        boolean can = canBeApplied(remedy, trial.observation().facts());
        if (!can) {
            unmeasured(remedy, OpenRung.Gap.NO_NAMESPACE, OpenRung.UNCHANGED, open);
        }
        return can;
    }

    private void unmeasured(Remedy remedy, OpenRung.Gap gap, String why, OpenRung open) {
        progress.say("  not measured: %s: %s".formatted(remedy.text(), why));
        open.unmeasured(remedy, gap, why);
    }

    /// A run changes no kernel setting of the host's own network namespace.
    static boolean canBeApplied(Remedy remedy, SandboxFacts facts) {
        return facts.ownCounters()
                || remedy.changes().stream()
                        .noneMatch(change ->
                                change.setting() instanceof Setting.OfSysctl
                                        || change.setting() instanceof Setting.OfResolver);
    }

    /// Good answers a second of a service that starts under the load at the wall, as after a
    /// restart at peak load; null if this is not measured.
    private @Nullable Double startedUnderLoad(
            Experiment current, RunRecord.Trial trial, int number) {
        boolean asksAtOnce =
                current.load() instanceof LoadSpec.Http http
                        && !(http.arrival() instanceof Arrival.Open)
                        && !http.warmup().isZero();
        if (!asksAtOnce || interruption.isRequested()) {
            return null;
        }
        begin("  starting the service under this load, without the remedy");
        int connections = trial.observation().load().connections();
        RunRecord.Trial started =
                runner.single(
                                current,
                                connections,
                                WarmUp.untilWarm(connections),
                                "rung-%d-started-under-load".formatted(number))
                        .as(RunRecord.Role.STARTED_UNDER_LOAD);
        trials.add(started);
        if (interruption.isRequested()) {
            return null; // cut short
        }
        return started.observation().load().throughput();
    }

    private void begin(String line) {
        progress.say(line);
        progress.step(new Step(line.strip(), Planned.unknown(System.nanoTime())));
    }

    /// @return empty if the rung knows why the remedy has no figures
    private Optional<Applied> verify(
            Experiment current, Remedy remedy, Verification.At at, String label, OpenRung open) {
        progress.say("testing " + remedy.text());
        try {
            Applied applied = verification.verify(current, remedy, at, label);
            if (applied == null) {
                tooBusy = true;
                unmeasured(remedy, OpenRung.Gap.TOO_BUSY, TOO_BUSY, open);
                return Optional.empty();
            }
            progress.say("  " + remedy.text() + ": " + applied.text());
            return Optional.of(applied);
        } catch (NotStarted e) {
            unmeasured(remedy, OpenRung.Gap.NOT_STARTED, e.withRemedy(), open);
            return Optional.empty();
        }
    }

    /// Verifies the settings under `try`, each alone.
    private void tried(Experiment current, RunRecord.Trial trial, WarmUp warmUp, OpenRung open) {
        for (Map.Entry<String, Remedy> one : TryValue.remedies(current).entrySet()) {
            if (canBeTested(one.getValue(), trial, open)) {
                verify(
                                current,
                                one.getValue(),
                                at(Harm.THROUGHPUT, trial, warmUp, 1),
                                "rung-1-try-" + one.getKey(),
                                open)
                        .ifPresent(open::tried);
            }
        }
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
            case UNNAMED -> rate + ": an unknown wall; " + diagnosis.seen();
            case NONE ->
                    rate
                            + (load.answers().mostlyBadAlone()
                                    ? ": one request alone gets a bad answer, too"
                                    : ": no wall");
        };
    }

    private static String endedWithoutWall(RunRecord.Trial trial) {
        if (trial.observation().load().answers().mostlyBadAlone()) {
            return "one request alone gets a bad answer, too: there is no wall to find";
        }
        return Boolean.FALSE.equals(trial.objectiveMet())
                ? "the objective was missed, and no wall was reached"
                : "no wall up to the largest load";
    }

    static String ended(RunRecord.Trial trial, boolean anyTried) {
        Judgement.Binds binds = trial.diagnosis().headline();
        return switch (trial.diagnosis().verdict()) {
            case INVALID -> "the generator is the limit: the last rate is a lower bound";
            case NONE -> endedWithoutWall(trial);
            case UNNAMED -> "no known wall explains the limit";
            case NAMED ->
                    binds != null && binds.wall() instanceof Cpu && !anyTried
                            ? "the CPU limits the %s: no setting moves that"
                                    .formatted(binds.end() == End.CLIENT ? "client" : "service")
                            : anyTried
                                    ? "no remedy that the experiment allows moved the wall"
                                    : "the experiment has no remedy for this wall";
        };
    }
}
