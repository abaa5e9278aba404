package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.CgroupSubject;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// The service's cgroup has used up its CPU time and is stopped until the next period, usually 100
/// ms (`throttle_cfs_rq`, kernel/sched/fair.c; `nr_throttled` in `cpu.stat`).
public record CpuQuota() implements Wall {
    /// A service that is throttled in fewer periods hardly notices.
    private static final double BINDING_SHARE = 0.1;

    /// A service that is stopped for less of the time could answer hardly more without the quota.
    private static final double STOPPED_SHARE = 0.1;

    /// A container that does less of a pod's work may be a side task, and its stops then harm no
    /// request.
    private static final double WORK_SHARE = 0.5;

    /// One request in a hundred is in the tail.
    private static final double TAIL_STOPPED_SHARE = 0.01;

    @Override
    public WallId id() {
        return WallId.CPU_QUOTA;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> worst = worst(observation);
        if (worst.isEmpty()) {
            return notReached(observation, symptoms);
        }
        String service = worst.get().subject();
        double share = throttledShare(observation, worst.get());
        List<Evidence> evidence = evidence(observation, worst.get(), service);
        String summary =
                "%s was throttled in %s of the periods"
                        .formatted(service, EvidenceFigures.percent(share));
        if (share < BINDING_SHARE || (symptoms.known() && !symptoms.stopped())) {
            return new Judgement.Near(this, worst.get().end(), evidence, summary);
        }
        Harm harm =
                symptoms.throughputBends() || !symptoms.known() ? Harm.THROUGHPUT : Harm.LATENCY;
        double enough = harm == Harm.THROUGHPUT ? STOPPED_SHARE : TAIL_STOPPED_SHARE;
        if (stoppedShare(observation, worst.get()) < enough) {
            return new Judgement.Near(
                    this,
                    worst.get().end(),
                    evidence,
                    summary + ", but only for a short time each");
        }
        if (!HarmTiming.together(observation, worst.get(), harm, HarmTiming.STOPPED_NANOS)
                || !(isInMostSeconds(observation, worst.get())
                        || HarmTiming.isDated(observation, harm))) {
            return new Judgement.Near(
                    this,
                    worst.get().end(),
                    evidence,
                    summary + ", but not in the seconds in which the load was harmed");
        }
        return new Judgement.Binds(this, worst.get().end(), harm, evidence);
    }

    private Judgement notReached(Observation observation, Symptoms symptoms) {
        if (isRead(observation)) {
            Optional<Series> aside = worst(observation, s -> isAside(observation, s));
            if (aside.isPresent()) {
                return aside(observation, aside.get());
            }
            return new Judgement.Clear(this, "no CPU quota was reached: no period was throttled");
        }
        if (!observation.facts().serverWatched()) {
            return new Judgement.Unknown(this, Missing.SERVER);
        }
        Optional<UnseenQuota> unseen = UnseenQuota.of(observation);
        if (unseen.isEmpty()) {
            return new Judgement.Unknown(this, EvidenceFigures.missingOfCgroup(observation));
        }
        List<Evidence> evidence = unseen.get().evidence();
        return symptoms.known() && !symptoms.stopped()
                ? new Judgement.Near(this, End.SERVER, evidence, unseen.get().describe())
                : new Judgement.Binds(this, End.SERVER, symptoms.harm(Harm.THROUGHPUT), evidence);
    }

    private Judgement aside(Observation observation, Series throttled) {
        String group = throttled.subject();
        return new Judgement.Near(
                this,
                throttled.end(),
                evidence(observation, throttled, group),
                "%s was throttled in %s of the periods, but it did less than half of the work"
                        .formatted(
                                group,
                                EvidenceFigures.percent(throttledShare(observation, throttled))));
    }

    /// Whether a group inside the service's did little of the service's work. A group that was
    /// stopped in a period had used its quota in it.
    private static boolean isAside(Observation observation, Series throttled) {
        CgroupSubject subject = CgroupSubject.parse(throttled.subject());
        if (subject.place() != CgroupSubject.Place.INSIDE) {
            return false;
        }
        double used =
                observation
                        .timeline()
                        .growth(ProcessFigure.CPU.of(subject.service()), throttled.end());
        double ofGroup =
                throttledShare(observation, throttled)
                        * quota(observation, throttled.subject(), throttled.end())
                                .map(Series::last)
                                .orElse(Double.NaN)
                        * Symptoms.watchedSeconds(observation);
        return ofGroup < WORK_SHARE * used;
    }

    private static boolean isRead(Observation observation) {
        return EvidenceFigures.cgroupWatched(observation, CgroupFigure.THROTTLED_PERIODS);
    }

    /// Whether the services are stopped so often that nothing else can be judged.
    static boolean mostlyStops(Observation observation) {
        if (!isRead(observation)) {
            return UnseenQuota.of(observation).isPresent();
        }
        return worstService(observation)
                .filter(s -> throttledShare(observation, s) >= BINDING_SHARE)
                .filter(s -> !(stoppedShare(observation, s) < STOPPED_SHARE))
                .filter(s -> isInMostSeconds(observation, s))
                .isPresent();
    }

    private static boolean isInMostSeconds(Observation observation, Series throttled) {
        return WatchedJudgement.growing(throttled, observation) >= WatchedJudgement.MOST;
    }

    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return worstService(observation)
                .map(s -> throttledShare(observation, s))
                .or(() -> UnseenQuota.of(observation).map(UnseenQuota::stoppedShare))
                .orElse(0.0);
    }

    /// A throttled client slows no service down.
    private static Optional<Series> worstService(Observation observation) {
        return worst(observation).filter(s -> s.end() == End.SERVER);
    }

    private static Optional<Series> worst(Observation observation) {
        return worst(observation, s -> !isAside(observation, s));
    }

    private static Optional<Series> worst(Observation observation, Predicate<Series> of) {
        return observation
                .timeline()
                .all(CgroupFigure.THROTTLED_PERIODS)
                .filter(s -> s.growth() > 0)
                .filter(of)
                .max((a, b) -> Double.compare(a.growth(), b.growth()));
    }

    private static double throttledShare(Observation observation, Series throttled) {
        return Symptoms.share(
                throttled.growth(),
                observation
                        .timeline()
                        .growth(CgroupFigure.PERIODS.of(throttled.subject()), throttled.end()));
    }

    /// The time for which it was stopped, added up over its CPUs, against that of the measurement;
    /// `NaN` if the kernel does not report it.
    private static double stoppedShare(Observation observation, Series throttled) {
        return observation
                        .timeline()
                        .find(
                                CgroupFigure.THROTTLED_SECONDS.of(throttled.subject()),
                                throttled.end())
                        .map(Series::growth)
                        .orElse(Double.NaN)
                / Symptoms.watchedSeconds(observation);
    }

    private static List<Evidence> evidence(
            Observation observation, Series throttled, String service) {
        End end = throttled.end();
        List<Evidence> evidence = new ArrayList<>();
        double periods = observation.timeline().growth(CgroupFigure.PERIODS.of(service), end);
        evidence.add(
                EvidenceFigures.growth(
                        throttled,
                        "%s was stopped by its quota in %.0f of %.0f periods"
                                .formatted(service, throttled.growth(), periods)));
        observation
                .timeline()
                .find(CgroupFigure.THROTTLED_SECONDS.of(service), end)
                .ifPresent(s ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        s,
                                        "it was stopped for %.1f s, added up over its CPUs"
                                                .formatted(s.growth()))));
        quota(observation, service, end)
                .ifPresent(s ->
                        evidence.add(
                                EvidenceFigures.limit(
                                        s, "its quota is %.2f CPUs".formatted(s.last()))));
        return evidence;
    }

    private static Optional<Series> quota(Observation observation, String service, End end) {
        return observation
                .timeline()
                .find(CgroupFigure.CPU_QUOTA.of(service), end)
                .filter(s -> !Double.isNaN(s.last()));
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return UnseenQuota.isIn(binds) ? Proof.TIMING : Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String throttled = worst(observation).map(Series::subject).orElse("");
        for (ServiceSpec spec : experiment.programs()) {
            Double cpus = spec.limits().cpus();
            if (!spec.name().equals(throttled) || cpus == null) {
                continue;
            }
            double target = Math.min(cpus * Remedy.FACTOR, cpuCount(binds.end(), observation));
            if (target > cpus) {
                Change change =
                        new Change(
                                new Setting.OfLimit(throttled, Limits.Kind.CPUS),
                                Limits.cpusText(cpus),
                                Limits.cpusText(target));
                return List.of(new Remedy(List.of(change), "more CPU time"));
            }
        }
        return List.of();
    }

    private static int cpuCount(End end, Observation observation) {
        return end == End.CLIENT
                ? observation.facts().clientCpus()
                : observation.facts().serverCpus();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "raise cpu.max (cgroup v2), cpu.cfs_quota_us (v1), docker --cpus or the pod's cpu limit",
                        "more CPU time"));
    }
}
