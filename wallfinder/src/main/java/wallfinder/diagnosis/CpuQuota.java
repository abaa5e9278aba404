package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// The service's cgroup has used up its CPU time and stands still until the next period, 100 ms as
/// a rule (`throttle_cfs_rq`, kernel/sched/fair.c; `nr_throttled` in `cpu.stat`).
public record CpuQuota() implements Wall {
    /// Throttled in fewer periods than this, the service hardly notices.
    private static final double BINDING_SHARE = 0.1;

    /// A remedy raises the quota by this factor, as far as there are CPUs.
    private static final double STEP = 4;

    @Override
    public String id() {
        return "cpu-quota";
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms) {
        Optional<Series> worst = worst(observation);
        if (worst.isEmpty()) {
            return new Judgement.Clear(this, "no CPU quota was reached: no period was throttled");
        }
        String service = Figures.inBrackets(worst.get());
        double share = throttledShare(observation, service);
        List<Evidence> evidence = evidence(observation, worst.get(), service);
        String told =
                "%s was throttled in %s of the periods".formatted(service, Figures.percent(share));
        if (share < BINDING_SHARE || (symptoms.known() && !symptoms.stopped())) {
            return new Judgement.Near(this, End.SERVER, evidence, told);
        }
        Harm harm =
                symptoms.throughputBends() || !symptoms.known() ? Harm.THROUGHPUT : Harm.LATENCY;
        return new Judgement.Binds(this, End.SERVER, harm, evidence);
    }

    static double throttledShare(Observation observation) {
        return worst(observation)
                .map(s -> throttledShare(observation, Figures.inBrackets(s)))
                .orElse(0.0);
    }

    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return throttledShare(observation);
    }

    private static Optional<Series> worst(Observation observation) {
        return observation
                .timeline()
                .all("cgroup[", "].throttledPeriods", End.SERVER)
                .filter(s -> s.growth() > 0)
                .max((a, b) -> Double.compare(a.growth(), b.growth()));
    }

    private static double throttledShare(Observation observation, String service) {
        return Symptoms.share(
                observation
                        .timeline()
                        .growth(Names.cgroup(service, "throttledPeriods"), End.SERVER),
                observation.timeline().growth(Names.cgroup(service, "periods"), End.SERVER));
    }

    private static List<Evidence> evidence(
            Observation observation, Series throttled, String service) {
        List<Evidence> evidence = new ArrayList<>();
        double periods =
                observation.timeline().growth(Names.cgroup(service, "periods"), End.SERVER);
        evidence.add(
                Figures.growth(
                        throttled,
                        "%s was stopped by its quota in %.0f of %.0f periods"
                                .formatted(service, throttled.growth(), periods)));
        observation
                .timeline()
                .find(Names.cgroup(service, "throttledSeconds"), End.SERVER)
                .ifPresent(s ->
                        evidence.add(
                                Figures.growth(
                                        s, "it stood still for %.1f s".formatted(s.growth()))));
        quota(observation, service)
                .ifPresent(s ->
                        evidence.add(
                                new Evidence(
                                        s.counter().name(),
                                        End.SERVER,
                                        null,
                                        null,
                                        s.last(),
                                        s.counter().source(),
                                        "its quota is %.2f CPU(s)".formatted(s.last()))));
        return evidence;
    }

    private static Optional<Series> quota(Observation observation, String service) {
        return observation
                .timeline()
                .find(Names.cgroup(service, "cpus"), End.SERVER)
                .filter(s -> !Double.isNaN(s.last()));
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String throttled = worst(observation).map(Figures::inBrackets).orElse("");
        for (ServiceSpec spec : experiment.services()) {
            Double cpus = spec.limits().cpus();
            if (!spec.name().equals(throttled) || cpus == null) {
                continue;
            }
            double target = Math.min(cpus * STEP, observation.facts().serverCpus());
            if (target > cpus) {
                Change change =
                        new Change(
                                new Setting.OfLimit(throttled, Limits.Kind.CPUS),
                                plain(cpus),
                                plain(target));
                return List.of(new Remedy(List.of(change), "that much CPU time"));
            }
        }
        return List.of();
    }

    private static String plain(double cpus) {
        return cpus == Math.rint(cpus) ? Long.toString((long) cpus) : Double.toString(cpus);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "raise cpu.max (cgroup v2), cpu.cfs_quota_us (v1), docker --cpus or the pod's cpu limit",
                        "that much CPU time"));
    }
}
