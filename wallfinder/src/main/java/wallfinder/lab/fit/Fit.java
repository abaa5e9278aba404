package wallfinder.lab.fit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
import wallfinder.lab.study.TrialFigures;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.sampling.JvmCensus;
import wallfinder.sandbox.Jvm;
import wallfinder.sandbox.Sandbox;

/// Finds the smallest memory limit at which a service is OK, for each way to start it: one run with
/// a generous limit predicts it, and trials at and around the prediction prove it.
public final class Fit {
    /// As often may the host spoil the trials of a candidate.
    private static final int DISCARDED_MAX = 10;

    private final FitPlan plan;
    private final RunContext context;
    private final FitTrialRunner runner;
    private final ColdFiles files;
    private final List<FitCandidate> candidates = new ArrayList<>();
    private final List<RunRecord.Trial> ofFrontier = new ArrayList<>();
    private FitRecord.@Nullable Headline headline;
    private FitRecord.@Nullable Turning turning;
    private @Nullable StudyRecord frontier;
    private @Nullable RuntimeException lastFailure;

    /// What came of it.
    ///
    /// @param frontier memory against throughput, or null if there was nothing to compare
    /// @param ended one sentence
    /// @param failure why it went no further, or why no candidate could be measured; or null
    public record Result(
            List<RunRecord.Trial> trials,
            FitRecord fit,
            @Nullable StudyRecord frontier,
            String ended,
            @Nullable RuntimeException failure) {
        /// Whether some candidate has a limit at which it is OK.
        public boolean found() {
            return fit.candidates().stream()
                    .anyMatch(one -> one.warm() != null && one.warm().found());
        }
    }

    public Fit(FitPlan plan, RunContext context) {
        this.plan = plan;
        this.context = context;
        this.runner = new FitTrialRunner(plan.service(), context);
        this.files = new ColdFiles(context);
        files.check(plan.cold());
        plan.candidates().forEach(one -> Sandbox.checkLimits(one.experiment().services()));
        if (Files.exists(context.folder().resolve(FitFrontier.FOLDER))) {
            throw new UsageException(
                    "a fit cannot be kept in " + context.folder(),
                    "another one is there already",
                    "name another folder");
        }
    }

    /// Reads an experiment with what is to be fitted, for the JVMs of this host.
    public static FitPlan read(Path file) {
        return ExperimentFile.readFit(file, Fit::jvmHome);
    }

    private static Optional<Path> jvmHome(String asked) {
        try {
            return Optional.of(Jvm.of(asked).home());
        } catch (UsageException e) {
            return Optional.empty();
        }
    }

    /// A user who stops it gets what was measured so far. If it fails after something was measured,
    /// that is in the result.
    public Result run() {
        try (files) {
            String ended = measured();
            keepProfile();
            return result(
                    ended, candidates.stream().allMatch(one -> one.failed) ? lastFailure : null);
        } catch (UsageException | EnvironmentException e) {
            return result("it failed: " + e.getMessage(), e);
        }
    }

    /// @return how it ended
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
            throw e; // nor could that of another candidate be
        } catch (UsageException | EnvironmentException e) {
            lastFailure = e;
            candidate.failed = true;
            candidate.problem = e.getMessage();
            context.progress().say("  it failed: " + e.getMessage());
        }
    }

    private void calibrate(FitCandidate candidate) {
        FitTrial trial =
                counted(
                        candidate,
                        candidate.experiment,
                        "generous",
                        false,
                        FitTrialRunner.Inquiry.CENSUS);
        if (trial.failure() != null && trial.kind() == FitRecord.KnockOut.Kind.ENDED) {
            throw trial.failure();
        }
        if (!trial.ok()) {
            candidate.problem =
                    "it is not OK with %s either: %s"
                            .formatted(Quantity.bytesText(trial.limitBytes()), describe(trial));
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

    /// The start script reads it; for all else it is a variable that nobody asks for.
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
        FitSearch search = search(candidate, prediction, calibration, first);
        candidate.warm = search;
        sayFound("the smallest limit", search);
        if (candidate.profile != null && search.smallest() > 0) {
            useRemainder(candidate, search, prediction);
        }
    }

    private FitSearch search(
            FitCandidate candidate, FitPrediction prediction, FitTrial given, long first) {
        FitSearch search =
                new FitSearch(
                        plan.stepBytes(),
                        prediction,
                        List.of(given),
                        limit -> limited(candidate, candidate.experiment, limit, false));
        search.run(first);
        return search;
    }

    /// Goes on below the smallest limit if a step of it is not used, and who starts the service
    /// makes a larger heap of it when its profile tells that.
    private void useRemainder(FitCandidate candidate, FitSearch search, FitPrediction prediction) {
        long smallest = search.smallest();
        FitRemainder remainder = FitRemainder.of(search.at(smallest));
        if (!(remainder.bytes() >= plan.stepBytes())) {
            return;
        }
        FitTrial calibration = Objects.requireNonNull(candidate.calibration);
        Path file = context.folder().resolve(Objects.requireNonNull(candidate.profile));
        String profile = FitProfile.text(calibration, Objects.requireNonNull(calibration.census()));
        FitProfile.write(file, profile + FitProfile.outside(remainder.outsideBytes()));
        context.progress()
                .say(
                        "  %.0f MB of it are not used, which the profile tells now"
                                .formatted(remainder.bytes() / FitLife.MEGABYTE));
        FitSearch lower = null;
        try {
            lower = lower(candidate, prediction, smallest, remainder);
        } finally {
            if (lower == null) {
                FitProfile.write(file, profile);
            }
        }
        if (lower == null) {
            context.progress().say("  that changes nothing");
        } else {
            candidate.warm = lower;
            sayFound("the smallest limit with that", lower);
        }
    }

    /// @return null if that gains nothing
    private @Nullable FitSearch lower(
            FitCandidate candidate,
            FitPrediction prediction,
            long smallest,
            FitRemainder remainder) {
        FitTrial told = limited(candidate, candidate.experiment, smallest, false);
        if (!told.ok() || !(told.life().heapMaxBytes() > remainder.heapMaxBytes())) {
            return null;
        }
        long steps = (long) (remainder.bytes() / plan.stepBytes());
        FitSearch lower = search(candidate, prediction, told, smallest - steps * plan.stepBytes());
        return lower.smallest() > 0 && lower.smallest() < smallest ? lower : null;
    }

    /// With nothing in the page cache a service needs no less than with all of it.
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

    /// Goes on from a candidate that was fitted. What gains, all together, is a candidate more.
    private void turn() {
        FitCandidate from =
                candidates.stream()
                        .filter(one -> one.name.equals(plan.turn()))
                        .filter(one -> one.warm != null && one.warm.smallest() > 0)
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
                        (experiment, at, inquiry) ->
                                counted(turned, experiment, at, false, inquiry),
                        context.progress()::say);
        try {
            turns.run();
        } finally {
            turning = turns.result(turned.name);
        }
        if (turns.gained()) {
            turned.experiment = turns.best();
            fit(turned);
        } else {
            turned.problem = "nothing that was turned gains";
        }
    }

    /// Measures until a trial counts.
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
            stopIfAsked();
            if (cold) {
                sayIfLeft(files.drop());
            }
            FitTrial trial = runner.trial(experiment, name, cold, inquiry);
            stopIfAsked(); // it was cut short
            candidate.trials.add(trial);
            sayTried(trial);
            if (trial.discarded() == null) {
                return trial;
            }
        }
        throw new EnvironmentException(
                "%s could not be measured".formatted(candidate.name),
                "%d trials in a row were spoilt".formatted(DISCARDED_MAX + 1),
                "repeat it on a quieter host, or with a load that leaves the generator CPU");
    }

    private void stopIfAsked() {
        if (context.interruption().isRequested()) {
            throw new CancellationException(Find.INTERRUPTED);
        }
    }

    private void sayTried(FitTrial trial) {
        String discarded = trial.discarded();
        context.progress()
                .say(
                        "  %s%s: %s%s"
                                .formatted(
                                        Quantity.bytesText(trial.limitBytes()),
                                        trial.cold() ? ", cold" : "",
                                        describe(trial),
                                        discarded == null
                                                ? ""
                                                : " (discarded and repeated: " + discarded + ")"));
    }

    private static String describe(FitTrial trial) {
        FitRecord.KnockOut knockOut = trial.knockOut();
        if (knockOut != null) {
            return knockOut.kind().word() + ", " + String.join("; ", knockOut.evidence());
        }
        TrialFigures figures = TrialFigures.of(Objects.requireNonNull(trial.trial()));
        String rate =
                Double.isNaN(figures.perSecond())
                        ? "rate unknown"
                        : "%,.1f answers/s".formatted(figures.perSecond());
        return "OK, %s, started in %.1f s, %.0f MB that cannot be given back"
                .formatted(
                        rate,
                        figures.startSeconds(),
                        trial.life().peak().bytes() / FitLife.MEGABYTE);
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

    private void sayIfLeft(long bytes) {
        if (bytes > 0) {
            context.progress()
                    .say(
                            "  %.1f MB of the copies stayed in the page cache"
                                    .formatted(bytes / FitLife.MEGABYTE));
        }
    }

    private void compare() {
        List<FitCandidate> found =
                candidates.stream()
                        .filter(one -> one.warm != null && one.warm.smallest() > 0)
                        .toList();
        if (found.size() < 2 || !found.getFirst().equals(candidates.getFirst())) {
            return; // nothing to compare, or nothing to compare with
        }
        if (plan.repeat() < 2) {
            context.progress().say("nothing is compared: that takes `repeat: 2` or more");
            return;
        }
        FitFrontier points = new FitFrontier(plan, found);
        context.progress().say("memory against throughput:");
        RunContext within = FitFrontier.context(context);
        Study.Result result =
                new Study(points.matrix(), false, within, new SandboxTrialRunner(within, false))
                        .run();
        ofFrontier.addAll(result.trials());
        frontier = result.study();
        headline = points.headline(result.study());
        stopIfAsked();
    }

    private Result result(String ended, @Nullable RuntimeException failure) {
        List<RunRecord.Trial> trials = new ArrayList<>();
        for (FitCandidate candidate : candidates) {
            candidate.trials.stream()
                    .map(FitTrial::trial)
                    .filter(Objects::nonNull)
                    .forEach(trials::add);
        }
        trials.addAll(ofFrontier);
        return new Result(
                List.copyOf(trials),
                FitFigures.of(plan, candidates, headline, turning),
                frontier,
                ended,
                failure);
    }

    /// That of the recommended candidate, else of the first that has one, by the name that an image
    /// needs.
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
                        .filter(one -> one.warm == null || one.warm.smallest() == 0)
                        .map(one -> one.name)
                        .collect(Collectors.joining(", "));
        return without.isEmpty() ? "all limits were found" : "no limit was found for " + without;
    }
}
