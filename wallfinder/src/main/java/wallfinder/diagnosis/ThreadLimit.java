package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A cgroup has as many processes and threads as its limit allows (`pids.max`), and `clone` fails
/// with EAGAIN (`pids_can_fork`, kernel/cgroup/pids.c). The kernel counts each refusal in
/// `pids.events`. It does not count the refusals of an [UncountedThreadLimit].
///
/// Since Linux 6.11, the limit of a parent counts the refusals of all groups inside the parent
/// together. The log of the service then has to show that the service was refused a thread.
public record ThreadLimit() implements Wall {
    private static final Advice OF_CGROUP =
            new Advice(
                    "TasksMax= in its systemd unit, docker --pids-limit, or podPidsLimit of the kubelet",
                    "memory for the stacks of more threads");

    @Override
    public WallId id() {
        return WallId.THREAD_LIMIT;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> refused = refused(observation);
        boolean unproven =
                refused.isPresent()
                        && isShared(refused.get())
                        && !isLogged(refused.get(), observation);
        if (refused.isEmpty() || unproven) {
            Optional<Judgement> uncounted = UncountedThreadLimit.judge(this, observation, symptoms);
            if (uncounted.isPresent()) {
                return uncounted.get();
            }
        }
        if (refused.isEmpty()) {
            if (!EvidenceFigures.cgroupWatched(observation, CgroupFigure.FORKS_REFUSED)) {
                return new Judgement.Unknown(this, EvidenceFigures.missingOfCgroup(observation));
            }
            return new Judgement.Clear(this, "no thread was refused" + fullest(observation));
        }
        String service = refused.get().subject();
        List<Evidence> evidence = evidence(observation, symptoms, refused.get(), service);
        End end = refused.get().end();
        if (unproven) {
            return new Judgement.Near(
                    this,
                    end,
                    evidence,
                    "%s, and nothing shows that %s was refused one"
                            .formatted(says(refused.get()), service));
        }
        if (symptoms.known() && !harmed(observation, symptoms, refused.get())) {
            return new Judgement.Near(
                    this, end, evidence, says(refused.get()) + ", without harm to this load");
        }
        return new Judgement.Binds(this, end, symptoms.harm(Harm.ERRORS), evidence);
    }

    /// The harm begins with the first refusal or later. A service that only slows down must have
    /// lacked threads for most of the time; a single refusal may lose any number of requests.
    private static boolean harmed(Observation observation, Symptoms symptoms, Series refused) {
        Harm harm = symptoms.harm(Harm.ERRORS);
        return symptoms.stopped()
                && (harm == Harm.ERRORS || lacked(observation, refused) >= WatchedJudgement.MOST)
                && HarmTiming.together(observation, refused, harm, HarmTiming.EVER_AFTER_NANOS);
    }

    /// The share of the time in which the service was at its limit or was refused threads.
    private static double lacked(Observation observation, Series refused) {
        return Math.max(full(observation, refused), WatchedJudgement.growing(refused, observation));
    }

    /// A pool that could not grow stops asking for threads, but remains too small.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        Optional<UncountedThreadLimit> uncounted = UncountedThreadLimit.of(binds);
        if (uncounted.isPresent()) {
            return uncounted.get().lasted(observation);
        }
        double full = refused(observation).map(s -> full(observation, s)).orElse(0.0);
        return Math.max(full, Wall.super.lasted(binds, observation));
    }

    /// The service with the most refusals. Otherwise one that shares a limit that refused
    /// something, preferably one whose log shows it.
    private static Optional<Series> refused(Observation observation) {
        return EvidenceFigures.worst(
                        observation,
                        CgroupFigure.FORKS_REFUSED,
                        s -> s.growth() > 0 || refusedBefore(observation, s))
                .or(() -> shared(observation, s -> isLogged(s, observation)))
                .or(() -> shared(observation, s -> true));
    }

    private static Optional<Series> shared(Observation observation, Predicate<Series> counts) {
        return EvidenceFigures.worst(
                observation, CgroupFigure.FORKS_REFUSED_ABOVE, counts.and(s -> s.growth() > 0));
    }

    private static boolean isLogged(Series refused, Observation observation) {
        return UncountedThreadLimit.log(refused, observation).isPresent();
    }

    private static boolean isShared(Series refused) {
        return refused.counter().key().isOf(CgroupFigure.FORKS_REFUSED_ABOVE);
    }

    private static String says(Series refused) {
        String service = refused.subject();
        if (isShared(refused)) {
            return "the limit that %s shares with others refused a process or thread %.0f times"
                    .formatted(service, refused.growth());
        }
        return refused.growth() > 0
                ? "%s was refused a process or thread %.0f times"
                        .formatted(service, refused.growth())
                : "%s had been refused a process or thread %.0f times before"
                        .formatted(service, refused.last());
    }

    /// A watch that starts later finds a service that was refused threads and still is at its
    /// limit.
    private static boolean refusedBefore(Observation observation, Series refused) {
        return observation.load() instanceof LoadOutcome.Unseen
                && refused.last() > 0
                && full(observation, refused) >= WatchedJudgement.MOST;
    }

    /// The share of the time in which the service was at its limit.
    private static double full(Observation observation, Series refused) {
        String service = refused.subject();
        return observation
                .timeline()
                .find(CgroupFigure.TASKS.of(service), refused.end())
                .map(s -> WatchedJudgement.share(s, tasks -> tasks >= limit(observation, s)))
                .orElse(0.0);
    }

    private static String fullest(Observation observation) {
        return observation
                .timeline()
                .all(CgroupFigure.TASKS, End.SERVER)
                .filter(s -> limit(observation, s) > 0)
                .max(Comparator.comparingDouble(s -> s.max() / limit(observation, s)))
                .map(s ->
                        ": %s had %.0f of its %.0f"
                                .formatted(s.subject(), s.max(), limit(observation, s)))
                .orElse("");
    }

    private static double limit(Observation observation, Series ofTheService) {
        return observation
                .timeline()
                .find(CgroupFigure.TASK_LIMIT.of(ofTheService.subject()), ofTheService.end())
                .map(Series::last)
                .orElse(Double.NaN);
    }

    private static List<Evidence> evidence(
            Observation observation, Symptoms symptoms, Series refused, String service) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(EvidenceFigures.growth(refused, says(refused)));
        String tasks =
                isShared(refused)
                        ? "together they had %.0f of the %.0f that it allows"
                        : "it had %.0f of the %.0f that its cgroup allows";
        observation
                .timeline()
                .find(CgroupFigure.TASKS.of(service), refused.end())
                .ifPresent(s ->
                        evidence.add(
                                EvidenceFigures.level(
                                        s,
                                        limit(observation, s),
                                        tasks.formatted(s.max(), limit(observation, s)))));
        if (isShared(refused)) {
            UncountedThreadLimit.logEvidence(refused, observation).ifPresent(evidence::add);
        }
        if (symptoms.leavesUnanswered()) {
            evidence.add(EvidenceFigures.unanswered(observation, symptoms));
        }
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String service =
                refused(observation).filter(s -> !isShared(s)).map(Series::subject).orElse("");
        for (ServiceSpec spec : experiment.programs()) {
            Long given = spec.limits().pids();
            if (spec.name().equals(service) && given != null) {
                Change change =
                        new Change(
                                new Setting.OfLimit(service, Limits.Kind.PIDS),
                                Long.toString(given),
                                Long.toString(EvidenceFigures.roomier(given, observation)));
                return List.of(
                        new Remedy(List.of(change), "memory for the stacks of more threads"));
            }
        }
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "use fewer threads: a bounded pool, virtual threads, or an event loop",
                        "code"),
                UncountedThreadLimit.of(binds).map(UncountedThreadLimit::advice).orElse(OF_CGROUP));
    }
}
