package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A cgroup has reached its memory limit, the kernel could not reclaim anything, and it has killed
/// one of the cgroup's processes (`mem_cgroup_out_of_memory`, mm/memcontrol.c). Or the host ran out
/// of memory, which the same counter shows.
public record MemoryLimit() implements Wall {

    @Override
    public WallId id() {
        return WallId.MEMORY_LIMIT;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!EvidenceFigures.cgroupWatched(observation, CgroupFigure.OOM_KILLS)) {
            return new Judgement.Unknown(this, Missing.CGROUP);
        }
        Optional<Series> kills = kills(observation);
        if (kills.isEmpty()) {
            return new Judgement.Clear(
                    this, "nothing was killed for memory" + fullest(observation));
        }
        String service = kills.get().subject();
        List<Evidence> evidence = evidence(observation, kills.get(), service);
        End end = kills.get().end();
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(
                    this,
                    end,
                    evidence,
                    "a process of %s was killed for memory, without harm to this load"
                            .formatted(service));
        }
        return new Judgement.Binds(this, end, symptoms.harm(Harm.ERRORS), evidence);
    }

    /// One kill ends a process.
    @Override
    public double lasted(Judgement.Binds binds, Observation observation) {
        return 1;
    }

    private static Optional<Series> kills(Observation observation) {
        return EvidenceFigures.fatal(observation, CgroupFigure.OOM_KILLS);
    }

    private static String fullest(Observation observation) {
        return observation
                .timeline()
                .all(CgroupFigure.MEMORY, End.SERVER)
                .filter(s -> limit(observation, s) > 0)
                .max(Comparator.comparingDouble(s -> s.max() / limit(observation, s)))
                .map(s ->
                        ": %s used %s of its %s"
                                .formatted(
                                        s.subject(),
                                        EvidenceFigures.megabytes(s.max()),
                                        EvidenceFigures.megabytes(limit(observation, s))))
                .orElse("");
    }

    private static double limit(Observation observation, Series ofTheService) {
        String service = ofTheService.subject();
        return observation
                .timeline()
                .last(CgroupFigure.MEMORY_LIMIT.of(service), ofTheService.end());
    }

    private static List<Evidence> evidence(Observation observation, Series kills, String service) {
        List<Evidence> evidence = new ArrayList<>();
        boolean before = kills.growth() <= 0;
        evidence.add(
                EvidenceFigures.growth(
                        kills,
                        before
                                ? "the kernel had killed %s for memory before the measurement began"
                                        .formatted(service)
                                : "the kernel killed %.0f of the processes of %s for memory"
                                        .formatted(kills.growth(), service)));
        used(observation, service, kills.end()).ifPresent(evidence::add);
        switch (cause(observation, kills)) {
            case LIMIT -> hits(observation, kills).ifPresent(evidence::add);
            case HOST ->
                    evidence.add(
                            memory(
                                    observation,
                                    kills,
                                    "no memory limit applies to %s: the host ran out of memory"
                                            .formatted(service)));
            case UNSURE ->
                    evidence.add(
                            memory(
                                    observation,
                                    kills,
                                    "it was far below its limit: another group with the same limit, or the host, may have run out of memory (journalctl -k says which)"));
        }
        return evidence;
    }

    /// Whose lack of memory ended a process.
    private enum Cause {
        LIMIT,
        HOST,
        UNSURE
    }

    /// The kernel counts the kills of the host's OOM killer, too (`__oom_kill_process`,
    /// mm/oom_kill.c). Nothing is known of the memory before a kill that the samples did not see.
    private static Cause cause(Observation observation, Series kills) {
        String service = kills.subject();
        double limit =
                observation.timeline().last(CgroupFigure.MEMORY_LIMIT.of(service), kills.end());
        if (observation.timeline().find(CgroupFigure.MEMORY.of(service), kills.end()).isEmpty()) {
            return Cause.LIMIT;
        }
        boolean hit = wasFull(observation, service, kills.end());
        if (!(limit > 0)) {
            return hit ? Cause.LIMIT : Cause.HOST;
        }
        boolean near = usedShare(observation, service, kills.end()) >= EvidenceFigures.NEAR_SHARE;
        return hit || near || kills.growth() <= 0 ? Cause.LIMIT : Cause.UNSURE;
    }

    /// Whether the memory reached a limit of the service's group or, with version 2, of a group
    /// inside it, such as a container of a pod.
    static boolean wasFull(Observation observation, String service, End end) {
        return observation.timeline().growth(CgroupFigure.LIMIT_HITS.of(service), end) > 0;
    }

    /// The evidence if the limit that was reached is unknown, because a group inside has it.
    private static Optional<Evidence> hits(Observation observation, Series kills) {
        String service = kills.subject();
        return limit(observation, kills) > 0
                ? Optional.empty()
                : observation
                        .timeline()
                        .find(CgroupFigure.LIMIT_HITS.of(service), kills.end())
                        .filter(s -> s.growth() > 0)
                        .map(s ->
                                EvidenceFigures.growth(
                                        s,
                                        "%s reached a memory limit inside its cgroup %.0f times"
                                                .formatted(service, s.growth())));
    }

    private static Evidence memory(Observation observation, Series kills, String says) {
        return observation
                .timeline()
                .find(CgroupFigure.MEMORY.of(kills.subject()), kills.end())
                .map(s -> EvidenceFigures.largest(s, null, says))
                .orElseThrow(); // without readings of the memory, the limit is the cause
    }

    /// The largest share of its limit that a service used; 0 without a limit.
    static double usedShare(Observation observation, String service, End end) {
        return observation
                .timeline()
                .find(CgroupFigure.MEMORY.of(service), end)
                .filter(s -> limit(observation, s) > 0)
                .map(s -> s.max() / limit(observation, s))
                .orElse(0.0);
    }

    /// The most memory that a service used, and for what.
    static Optional<Evidence> used(Observation observation, String service, End end) {
        return observation
                .timeline()
                .find(CgroupFigure.MEMORY.of(service), end)
                .filter(s -> s.max() > 0 && limit(observation, s) > 0)
                .map(s ->
                        EvidenceFigures.level(
                                s,
                                limit(observation, s),
                                "it was seen with %s of its %s%s"
                                        .formatted(
                                                EvidenceFigures.megabytes(s.max()),
                                                EvidenceFigures.megabytes(limit(observation, s)),
                                                parts(observation, s))));
    }

    /// The parts of the memory at the fullest instant.
    private static String parts(Observation observation, Series memory) {
        int fullest = 0;
        for (int i = 1; i < memory.values().length; i++) {
            fullest = memory.values()[i] > memory.values()[fullest] ? i : fullest;
        }
        double own = part(observation, memory, CgroupFigure.MEMORY_ANONYMOUS, fullest);
        double files = part(observation, memory, CgroupFigure.MEMORY_FILE, fullest);
        double shared = part(observation, memory, CgroupFigure.MEMORY_SHARED, fullest);
        double sharedOrNone = Double.isNaN(shared) ? 0 : shared;
        return ": %s of the programs' own, %s of files, %s of the kernel's"
                .formatted(
                        text(own + sharedOrNone),
                        text(files - sharedOrNone),
                        text(part(observation, memory, CgroupFigure.MEMORY_KERNEL, fullest)));
    }

    private static double part(
            Observation observation, Series memory, CgroupFigure figure, int instant) {
        return observation
                .timeline()
                .beside(memory, figure)
                .map(s -> s.values()[instant])
                .orElse(Double.NaN);
    }

    private static String text(double bytes) {
        return Double.isNaN(bytes) ? "an unknown part" : EvidenceFigures.megabytes(bytes);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return kills(observation)
                .map(s -> more(s.subject(), observation, experiment))
                .orElse(List.of());
    }

    /// More memory for the service that this evidence is about.
    ///
    /// @param figure that the evidence has
    static List<Remedy> more(
            Judgement.Binds binds,
            CgroupFigure figure,
            Observation observation,
            Experiment experiment) {
        return binds.evidence().stream()
                .flatMap(e -> e.subject(figure).stream())
                .findFirst()
                .map(service -> more(service, observation, experiment))
                .orElse(List.of());
    }

    /// More memory for a service, if the experiment sets its limit.
    private static List<Remedy> more(
            String service, Observation observation, Experiment experiment) {
        Long most = observation.facts().most().memoryBytes();
        for (ServiceSpec spec : experiment.programs()) {
            Long given = spec.limits().memoryBytes();
            if (!spec.name().equals(service) || given == null) {
                continue;
            }
            long target =
                    most == null ? Remedy.FACTOR * given : Math.min(Remedy.FACTOR * given, most);
            if (target > given) {
                Change change =
                        new Change(
                                new Setting.OfLimit(service, Limits.Kind.MEMORY),
                                Quantity.bytesText(given),
                                Quantity.bytesText(target));
                return List.of(new Remedy(List.of(change), "more memory"));
            }
        }
        return List.of();
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        if (kills(observation).filter(s -> cause(observation, s) == Cause.HOST).isPresent()) {
            return List.of(
                    new Advice(
                            "find the program that took the memory (journalctl -k has a table), and give it a limit (memory.max, docker --memory)",
                            "that program may be killed instead"),
                    new Advice(
                            "more memory for the host, or fewer programs on it", "a larger host"));
        }
        return List.of(
                new Advice(
                        "a smaller heap in a JVM (-Xmx, -XX:MaxRAMPercentage), smaller caches and pools, fewer requests at a time",
                        "time in the collector, or throughput"),
                new Advice(
                        "raise memory.max (cgroup v2), memory.limit_in_bytes (v1), docker --memory or the pod's memory limit",
                        "more memory"));
    }
}
