package wallfinder.lab.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.FitPlan;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.UsageException;
import wallfinder.lab.find.Find;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.study.Study;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Planned;
import wallfinder.live.Step;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.sampling.JvmCensus;
import wallfinder.sandbox.Sandbox;

/// Finds the smallest memory limit at which a service is OK, for each candidate: one trial with a
/// generous limit predicts it, and trials at and around the prediction verify it.
public final class Fit {
    /// How many trials in a row may be discarded because the host was busy.
    private static final int DISCARDED_MAX = 10;

    private final FitPlan plan;
    private final long startNanos = System.nanoTime();
    private final RunContext context;
    private final TrialHosts hosts;
    private final FitTrialRunner runner;
    private final ColdFiles files;
    private final List<FitCandidate> candidates = new ArrayList<>();
    private final List<RunRecord.Trial> frontierTrials = new ArrayList<>();
    private FitRecord.@Nullable Headline headline;
    private FitRecord.@Nullable Turning turning;
    private @Nullable StudyRecord frontier;
    private @Nullable RuntimeException lastFailure;

    /// @param frontier memory against throughput, or null if there was nothing to compare
    /// @param ended how the fit ended, in one sentence
    /// @param failure why the fit stopped, or why it could measure no candidate; or null
    public record Result(
            List<RunRecord.Trial> trials,
            FitRecord fit,
            @Nullable StudyRecord frontier,
            String ended,
            @Nullable RuntimeException failure) {
        /// Whether a limit was found for at least one candidate.
        public boolean found() {
            return fit.candidates().stream()
                    .anyMatch(one -> one.warm() != null && one.warm().found());
        }
    }

    public Fit(FitPlan plan, TrialHosts hosts) {
        this.plan = plan;
        this.hosts = hosts;
        this.context = hosts.context();
        this.runner = new FitTrialRunner(plan.service(), hosts);
        this.files = new ColdFiles(context);
        files.check(plan.cold());
        if (hosts.services() == null) {
            plan.candidates().forEach(one -> Sandbox.checkLimits(one.experiment().services()));
        }
        if (Files.exists(context.folder().resolve(FitFrontier.FOLDER))) {
            throw new UsageException(
                    "a fit cannot be kept in " + context.folder(),
                    "the folder contains another fit",
                    "name another folder");
        }
    }

    /// Checks whether the services can run on another host. A copy of a file, or an archive of
    /// classes, would have to be made there.
    ///
    /// @throws UsageException if they cannot
    public static void checkElsewhere(FitPlan plan) {
        boolean cold = plan.searchesCold();
        if (cold || plan.turn() != null) {
            throw new UsageException(
                    "fit cannot measure %s on another host"
                            .formatted(cold ? "a cold page cache" : "single settings"),
                    "the files that this needs are on this host",
                    "run fit on that host, or leave `%s` out".formatted(cold ? "cold" : "turn"));
        }
    }

    /// Reads an experiment with its candidates, and finds the JVMs on this host.
    public static FitPlan read(Path file) {
        return ExperimentFile.readFit(file, Study::jvmHome);
    }

    /// Fits all candidates. If it fails or the user stops it, returns what was measured until then.
    public Result run() {
        try (files) {
            String ended = measured();
            keepProfile();
            boolean none = candidates.stream().allMatch(one -> one.failed && !one.hasLimit());
            return result(ended, none ? lastFailure : null);
        } catch (UsageException | EnvironmentException e) {
            return result("it failed: " + e.getMessage(), e);
        }
    }

    /// @return how the fit ended
    private String measured() {
        try {
            for (FitPlan.Candidate planned : plan.candidates()) {
                fit(added(planned.name(), planned.experiment(), planned.jvms()));
            }
            turn();
            compare();
            return ended();
        } catch (CancellationException e) {
            return Find.INTERRUPTED;
        }
    }

    private FitCandidate added(String name, Experiment experiment, Set<String> jvms) {
        FitCandidate candidate = new FitCandidate(name, experiment, jvms);
        candidates.add(candidate);
        context.progress().say(name + ":");
        return candidate;
    }

    private void fit(FitCandidate candidate) {
        try {
            calibrate(candidate);
            if (candidate.problem == null) {
                searchWarm(candidate);
                searchCold(candidate);
            }
        } catch (FitProfile.NotKept e) {
            throw e; // the profiles of other candidates would fail alike
        } catch (UsageException | EnvironmentException e) {
            failed(candidate, e);
        }
    }

    private void failed(FitCandidate candidate, RuntimeException e) {
        lastFailure = e;
        candidate.failed = true;
        candidate.problem = e.getMessage();
        context.progress().say("  it failed: " + e.getMessage());
    }

    private void calibrate(FitCandidate candidate) {
        FitTrial trial = generous(candidate);
        if (trial.failure() != null && trial.kind() == FitRecord.KnockOut.Kind.ENDED) {
            throw trial.failure();
        }
        if (!trial.ok()) {
            candidate.problem =
                    "even with %s it is not OK: %s"
                            .formatted(Quantity.bytesText(trial.limitBytes()), trial.describe());
            return;
        }
        if (trial.census() != null) {
            String profile = candidate.label + "-" + FitProfile.FILE;
            Path file = context.folder().resolve(profile);
            FitProfile.write(file, FitProfile.text(trial, trial.census()));
            candidate.profile = profile;
            candidate.experiment = withProfile(candidate.experiment, file);
        }
        candidate.calibration = trial;
    }

    /// If the service was too slow while it was asked, it is measured once more: the questions make
    /// it collect its whole heap.
    private FitTrial generous(FitCandidate candidate) {
        FitTrial asked = generous(candidate, FitTrialRunner.Inquiry.CENSUS);
        boolean slow =
                asked.kind() == FitRecord.KnockOut.Kind.OBJECTIVE
                        || asked.kind() == FitRecord.KnockOut.Kind.GC;
        return slow && asked.census() != null
                ? generous(candidate, FitTrialRunner.Inquiry.NONE).with(asked.census())
                : asked;
    }

    private FitTrial generous(FitCandidate candidate, FitTrialRunner.Inquiry inquiry) {
        return counted(candidate, candidate.experiment, "generous", false, inquiry);
    }

    /// Sets the profile's variable for the start script. Other services ignore the variable.
    private Experiment withProfile(Experiment experiment, Path file) {
        ServiceSpec spec = experiment.service(plan.service());
        Map<String, String> environment = new LinkedHashMap<>(spec.env());
        environment.compute(
                FitProfile.VARIABLE,
                (name, old) ->
                        old == null || Path.of(old).startsWith(context.folder())
                                ? file.toString()
                                : old);
        return experiment.with(spec.with(spec.command(), spec.jvm(), environment));
    }

    private void searchWarm(FitCandidate candidate) {
        FitTrial calibration = Objects.requireNonNull(candidate.calibration);
        JvmCensus census = calibration.census();
        FitPrediction prediction =
                new FitPrediction(
                        plan.stepBytes(), census == null ? Double.NaN : census.mostLiveBytes());
        long first = Math.min(prediction.peak(calibration), calibration.limitBytes());
        candidate.predictedBytes = first;
        context.progress().say("  %s is predicted".formatted(Quantity.bytesText(first)));
        FitSearch search =
                new FitSearch(
                        plan.stepBytes(),
                        prediction,
                        List.of(calibration),
                        limit -> limited(candidate, candidate.experiment, limit, false));
        try {
            search.run(first);
            candidate.warm = search;
        } catch (RuntimeException e) {
            // A smaller limit that it has found counts.
            candidate.warm = search.smallest() < calibration.limitBytes() ? search : null;
            throw e;
        }
        sayFound("the smallest limit", search);
        if (candidate.profile != null && search.smallest() > 0) {
            correctProfile(candidate, search, prediction);
        }
    }

    private void correctProfile(
            FitCandidate candidate, FitSearch search, FitPrediction prediction) {
        FitSearch again =
                new FitCorrection(
                                Objects.requireNonNull(candidate.calibration),
                                prediction,
                                context.folder().resolve(Objects.requireNonNull(candidate.profile)),
                                limit -> limited(candidate, candidate.experiment, limit, false),
                                context.progress()::say)
                        .after(search);
        if (again != null) {
            candidate.warm = again;
            sayFound("the smallest limit with that", again);
        }
    }

    /// Searches with a cold page cache, where a service needs no less memory than with a warm one.
    private void searchCold(FitCandidate candidate) {
        FitSearch warm = candidate.warm;
        if (!plan.searchesCold() || warm == null || warm.smallest() == 0) {
            return;
        }
        Experiment copied = files.applied(candidate.experiment, plan.service(), plan.cold());
        List<FitTrial> given = new ArrayList<>(warm.at(warm.below()));
        given.removeIf(FitTrial::ok);
        given.add(Objects.requireNonNull(candidate.calibration));
        candidate.cold =
                new FitSearch(
                        plan.stepBytes(),
                        new FitPrediction(plan.stepBytes(), Double.NaN),
                        given,
                        limit -> limited(candidate, copied, limit, true));
        candidate.cold.run(warm.smallest());
        sayFound("the smallest limit with a cold page cache", candidate.cold);
    }

    private FitTrial limited(
            FitCandidate candidate, Experiment experiment, long limit, boolean cold) {
        Experiment limited =
                experiment.with(
                        new Setting.OfLimit(plan.service(), Limits.Kind.MEMORY),
                        Quantity.bytesText(limit));
        return counted(
                candidate, limited, Quantity.bytesText(limit), cold, FitTrialRunner.Inquiry.NONE);
    }

    /// Turns the settings of a fitted candidate. Everything that gains becomes one more candidate.
    private void turn() {
        FitCandidate from =
                candidates.stream()
                        .filter(one -> one.name.equals(plan.turn()))
                        .filter(one -> one.hasLimit() && !one.failed)
                        .findFirst()
                        .orElse(null);
        if (from == null) {
            return;
        }
        FitCandidate turned = added(from.name + ", turned", from.experiment, from.jvms);
        FitTurning turns =
                new FitTurning(
                        plan.service(),
                        from,
                        context.folder().resolve(turned.label + ".jsa"),
                        System.getenv(),
                        (experiment, at, inquiry) ->
                                counted(turned, experiment, at, false, inquiry),
                        context.progress()::say);
        try {
            turns.run();
        } catch (UsageException | EnvironmentException e) {
            failed(turned, e);
            return;
        } finally {
            turning = turns.result(turned.name);
        }
        if (turns.gained()) {
            turned.experiment = turns.best();
            fit(turned);
        } else {
            turned.problem = "no turned setting gains";
        }
    }

    /// Repeats a trial until it counts.
    private FitTrial counted(
            FitCandidate candidate,
            Experiment experiment,
            String at,
            boolean cold,
            FitTrialRunner.Inquiry inquiry) {
        for (int discarded = 0; discarded <= DISCARDED_MAX; discarded++) {
            String name =
                    "%s-%d-%s%s"
                            .formatted(
                                    candidate.label,
                                    candidate.trials.size() + 1,
                                    at,
                                    cold ? "-cold" : "");
            context.interruption().check();
            String trialed = "%s, trial %d".formatted(candidate.name, candidate.trials.size() + 1);
            context.progress().step(new Step(trialed, Planned.unknown(startNanos)));
            if (cold) {
                long left = files.drop();
                if (left > 0) {
                    context.progress()
                            .say(
                                    "  %.1f MB of the copies stayed in the page cache"
                                            .formatted(left / FitLife.MEGABYTE));
                }
            }
            FitTrial trial = runner.trial(experiment, name, cold, inquiry);
            context.interruption().check(); // the trial is incomplete
            candidate.trials.add(trial);
            sayTried(trial);
            if (trial.discarded() == null) {
                return trial;
            }
        }
        throw new EnvironmentException(
                "%s could not be measured".formatted(candidate.name),
                "%d trials in a row were discarded".formatted(DISCARDED_MAX + 1),
                "repeat it on a quieter host, or with a load that leaves the generator CPU");
    }

    private void sayTried(FitTrial trial) {
        String discarded = trial.discarded();
        context.progress()
                .say(
                        "  %s%s: %s%s"
                                .formatted(
                                        Quantity.bytesText(trial.limitBytes()),
                                        trial.cold() ? ", cold" : "",
                                        trial.describe(),
                                        discarded == null
                                                ? ""
                                                : " (discarded and repeated: " + discarded + ")"));
    }

    private void sayFound(String what, FitSearch search) {
        long found = search.smallest();
        context.progress()
                .say(
                        found == 0
                                ? "  no limit was found"
                                : "  %s: %s%s"
                                        .formatted(
                                                what,
                                                Quantity.bytesText(found),
                                                search.verified() ? "" : ", not verified"));
    }

    private void compare() {
        List<FitCandidate> found =
                candidates.stream().filter(one -> one.hasLimit() && !one.failed).toList();
        if (found.size() < 2 || !found.getFirst().equals(candidates.getFirst())) {
            return; // the comparison needs the first candidate and another one
        }
        if (plan.repeat() < 2) {
            context.progress()
                    .say("no comparison of memory and throughput: it needs `repeat: 2` or more");
            return;
        }
        FitFrontier points = new FitFrontier(plan, found);
        context.progress().say("memory against throughput:");
        RunContext within = FitFrontier.context(context);
        Study.Result result =
                new Study(
                                points.matrix(),
                                false,
                                within,
                                new SandboxTrialRunner(hosts.with(within), false))
                        .run();
        frontierTrials.addAll(result.trials());
        frontier = result.study();
        headline = points.headline(result.study(), result.trials());
        context.interruption().check();
    }

    private Result result(String ended, @Nullable RuntimeException failure) {
        List<RunRecord.Trial> trials = new ArrayList<>();
        for (FitCandidate candidate : candidates) {
            candidate.trials.stream()
                    .map(FitTrial::trial)
                    .filter(Objects::nonNull)
                    .forEach(trials::add);
        }
        trials.addAll(frontierTrials);
        return new Result(
                List.copyOf(trials),
                FitFigures.of(plan, candidates, headline, turning),
                frontier,
                ended,
                failure);
    }

    /// Gives the profile of the recommended candidate, or else of the first one, its name in an
    /// image.
    private void keepProfile() {
        candidates.stream()
                .filter(one -> one.profile != null)
                .max(
                        Comparator.comparing(
                                one -> headline != null && one.name.equals(headline.candidate())))
                .ifPresent(one ->
                        FitProfile.copy(context.folder(), Objects.requireNonNull(one.profile)));
    }

    private String ended() {
        String without =
                candidates.stream()
                        .filter(one -> !one.hasLimit())
                        .map(one -> one.name)
                        .collect(Collectors.joining(", "));
        return without.isEmpty() ? "all limits were found" : "no limit was found for " + without;
    }
}
