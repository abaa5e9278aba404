package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.WaitFigure;

/// A cgroup is so full that the kernel keeps evicting pages of files that the cgroup needs and
/// reading them again from the disk, without killing anything. The kernel counts each page that
/// comes back soon after its eviction as a refault (`workingset_refault`, mm/workingset.c).
public record PageCache() implements Wall {
    /// With this many refaults per answer, every request waits for some of them.
    private static final double PAGES_PER_ANSWER = 1;

    /// Applies if answers are not counted: 100 refaults of 0.1 ms each take a hundredth of the
    /// time.
    private static final double PAGES_PER_SECOND = 100;

    /// The kernel evicts pages of a full cgroup. It also evicts pages that nobody has used for a
    /// long time, but that is no wall of the service.
    private static final double FULL_SHARE = 0.9;

    @Override
    public WallId id() {
        return WallId.PAGE_CACHE;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!EvidenceFigures.cgroupWatched(observation, CgroupFigure.REFAULTS)) {
            return new Judgement.Unknown(this, EvidenceFigures.missingOfCgroup(observation));
        }
        Optional<Series> most =
                most(observation, s -> isFull(observation, s))
                        .or(() -> most(observation, _ -> true));
        if (most.isEmpty()) {
            return new Judgement.Clear(this, "no page of a file had to be read again");
        }
        Series refaults = most.get();
        String summary = "%.0f pages of files had to be read again".formatted(refaults.growth());
        double enough = enough(observation);
        if (refaults.growth() < enough) {
            return new Judgement.Clear(
                    this,
                    summary + ", too few to slow the load: that takes %.0f".formatted(enough));
        }
        if (!isFull(observation, refaults)) {
            return new Judgement.Clear(
                    this,
                    summary
                            + ", but its memory was not full: the host, or memory.high, had evicted them");
        }
        double swapped = Swap.growth(observation, refaults, CgroupFigure.SWAP_REFAULTS);
        if (swapped >= refaults.growth()) {
            return new Judgement.Clear(
                    this, summary + ", but %.0f pages came back from swap".formatted(swapped));
        }
        double threads = waiting(observation, refaults);
        String not = contradiction(observation, symptoms, threads);
        if (not != null) {
            return new Judgement.Clear(this, summary + ", but " + not);
        }
        List<Evidence> evidence = evidence(observation, refaults, summary);
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(this, End.SERVER, evidence, summary);
        }
        Harm slower = symptoms.throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
        return new Judgement.Binds(
                this, End.SERVER, symptoms.errorsBegin() ? Harm.ERRORS : slower, evidence);
    }

    /// The service with the most refaults.
    private static Optional<Series> most(Observation observation, Predicate<Series> of) {
        return observation
                .timeline()
                .all(CgroupFigure.REFAULTS, End.SERVER)
                .filter(s -> s.growth() > 0)
                .filter(of)
                .max(Comparator.comparingDouble(Series::growth));
    }

    private static boolean isFull(Observation observation, Series refaults) {
        return MemoryLimit.usedShare(observation, refaults.subject(), End.SERVER) >= FULL_SHARE
                || MemoryLimit.wasFull(observation, refaults.subject(), End.SERVER);
    }

    /// How many threads waited for a page or a file, on average; `NaN` if nobody could look.
    private static double waiting(Observation observation, Series refaults) {
        return Stream.of(WaitFigure.PAGE, WaitFigure.DISK)
                .mapToDouble(wait ->
                        observation
                                .timeline()
                                .beside(refaults, wait)
                                .map(Budget::mean)
                                .orElse(Double.NaN))
                .reduce(0, Double::sum);
    }

    /// If the CPUs are full, the kernel's search for room takes CPU time instead of a wait.
    private static @Nullable String contradiction(
            Observation observation, Symptoms symptoms, double threads) {
        return Double.isNaN(threads) || symptoms.cpuSaturated()
                ? null
                : Swap.contradiction(observation, symptoms, threads);
    }

    private static double enough(Observation observation) {
        long answered = observation.load().answered();
        return answered > 0
                ? PAGES_PER_ANSWER * answered
                : PAGES_PER_SECOND * Symptoms.watchedSeconds(observation);
    }

    private static List<Evidence> evidence(
            Observation observation, Series refaults, String summary) {
        List<Evidence> evidence = new ArrayList<>();
        String service = refaults.subject();
        long answered = observation.load().answered();
        String each =
                answered > 0
                        ? ", %.1f for each answer".formatted(refaults.growth() / answered)
                        : "";
        evidence.add(EvidenceFigures.growth(refaults, summary + each));
        EvidenceFigures.grown(
                        observation,
                        CgroupFigure.MAJOR_FAULTS.of(service),
                        End.SERVER,
                        times ->
                                "%s waited %.0f times for a page to be read"
                                        .formatted(service, times))
                .ifPresent(evidence::add);
        MemoryLimit.used(observation, service, End.SERVER).ifPresent(evidence::add);
        return evidence;
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.KERNEL;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        return MemoryLimit.more(binds, CgroupFigure.REFAULTS, observation, experiment);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "leave room for the files: a smaller heap (-Xmx), fewer classes and libraries, a class archive with -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0",
                        "time in the collector"),
                new Advice(
                        "raise memory.max (cgroup v2), memory.limit_in_bytes (v1), docker --memory or the pod's memory limit",
                        "more memory"));
    }
}
