package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.WaitFigure;

/// The memory that the programs of a service allocated does not fit: the kernel keeps moving a part
/// of it to swap, and the service waits until pages that it needs again come back. The kernel
/// counts each of these pages (`workingset_refault_anon`, mm/workingset.c).
///
/// The pages of a file are not moved to swap. If they come back again and again, that is
/// [PageCache].
public record Swap() implements Wall {
    /// With this many pages per answer, every request waits for some of them.
    private static final double PAGES_PER_ANSWER = 1;

    /// Applies if answers are not counted: 100 pages of 0.1 ms each take a hundredth of the time.
    private static final double PAGES_PER_SECOND = 100;

    /// Pages come back without a wait if the swap is compressed memory. From a quick disk, threads
    /// that did hardly anything but access pages waited for them in 18 to 30 % of their time. The
    /// kernel used the rest to find room for the pages.
    private static final double WAITED_SHARE = 0.15;

    /// A thread that runs or waits for a CPU or a page in this share of the time, as far as is
    /// seen, is busy. Threads that certainly were busy reached 0.78: the kernel may also read pages
    /// or find room for them in a system call.
    private static final double BUSY_SHARE = 0.6;

    @Override
    public WallId id() {
        return WallId.SWAP;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        if (!EvidenceFigures.cgroupWatched(observation, CgroupFigure.SWAP_REFAULTS)) {
            return new Judgement.Unknown(this, EvidenceFigures.missingOfCgroup(observation));
        }
        Optional<Series> most = most(observation, CgroupFigure.SWAP_REFAULTS);
        if (most.isEmpty()) {
            return new Judgement.Clear(this, "no page came back from swap");
        }
        Series pages = most.get();
        String summary = "%.0f pages came back from swap".formatted(pages.growth());
        if (pages.growth() < enough(observation)) {
            return new Judgement.Clear(this, summary);
        }
        double files = growth(observation, pages, CgroupFigure.REFAULTS);
        if (files > pages.growth()) {
            return new Judgement.Clear(
                    this, summary + ", but %.0f pages of files had to be read".formatted(files));
        }
        return waited(observation, symptoms, pages, summary);
    }

    private Judgement waited(
            Observation observation, Symptoms symptoms, Series pages, String summary) {
        Optional<Series> waits = waits(observation, pages);
        if (waits.isEmpty()) {
            return new Judgement.Unknown(this, Missing.READINGS);
        }
        double threads = Budget.mean(waits.get());
        String not = contradiction(observation, symptoms, threads);
        if (not != null) {
            return new Judgement.Clear(this, summary + ", but " + not);
        }
        List<Evidence> evidence = evidence(observation, pages, waits.get(), summary);
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(this, End.SERVER, evidence, summary);
        }
        Harm slower = symptoms.throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
        return new Judgement.Binds(
                this, End.SERVER, symptoms.errorsBegin() ? Harm.ERRORS : slower, evidence);
    }

    /// Why the wait for pages does not explain the time of the answers, or null.
    ///
    /// @param threads how many threads waited for a page, on average
    static @Nullable String contradiction(
            Observation observation, Symptoms symptoms, double threads) {
        double seconds = Symptoms.watchedSeconds(observation);
        CpuUse cpu = symptoms.cpu();
        boolean busy = threads + cpu.busiestWantedShare() >= BUSY_SHARE;
        Optional<Budget> budget = Budget.of(observation);
        if (budget.isEmpty()) {
            double running = cpu.usedSeconds() / seconds;
            return busy && threads >= WAITED_SHARE * (threads + running)
                    ? null
                    : "%.2f threads waited for them on average".formatted(threads);
        }
        Budget.Parts loaded = budget.get().loaded();
        double micros = threads * seconds * 1e6 / observation.load().answered();
        if (micros >= WAITED_SHARE * workMicros(loaded)
                && (busy || micros >= WAITED_SHARE * loaded.responseMicros())) {
            return null;
        }
        return "an answer of %s waited %s for them"
                .formatted(
                        EvidenceFigures.millis(1e3 * loaded.responseMicros()),
                        EvidenceFigures.millis(1e3 * micros));
    }

    /// What is known of the time of an answer inside the service, except that it waits for a CPU
    /// that others use.
    private static double workMicros(Budget.Parts loaded) {
        return loaded.shares().stream()
                .filter(share ->
                        switch (share.part()) {
                            case ACCEPT, UNREAD, RUNNABLE, UNEXPLAINED -> false;
                            case RUN, LOCK, DISK, OUTPUT -> true;
                            case DEPENDENCY, TRANSMIT, SLEEP, GC -> true;
                        })
                .mapToDouble(Share::micros)
                .sum();
    }

    private static Optional<Series> most(Observation observation, CgroupFigure figure) {
        return observation
                .timeline()
                .all(figure, End.SERVER)
                .filter(s -> s.growth() > 0)
                .max(Comparator.comparingDouble(Series::growth));
    }

    /// Threads of the same service that waited for a page of their memory.
    private static Optional<Series> waits(Observation observation, Series pages) {
        return observation
                .timeline()
                .beside(pages, WaitFigure.PAGE)
                .filter(s -> !Double.isNaN(Budget.mean(s)));
    }

    /// How many pages another counter of the same cgroup counted; 0 if it was not read.
    static double growth(Observation observation, Series ofTheCgroup, CgroupFigure figure) {
        return observation
                .timeline()
                .beside(ofTheCgroup, figure)
                .map(Series::growth)
                .filter(growth -> growth > 0)
                .orElse(0.0);
    }

    private static double enough(Observation observation) {
        long answered = observation.load().answered();
        return answered > 0
                ? PAGES_PER_ANSWER * answered
                : PAGES_PER_SECOND * Symptoms.watchedSeconds(observation);
    }

    private static List<Evidence> evidence(
            Observation observation, Series pages, Series waits, String summary) {
        List<Evidence> evidence = new ArrayList<>();
        String service = pages.subject();
        long answered = observation.load().answered();
        String each =
                answered > 0 ? ", %.1f for each answer".formatted(pages.growth() / answered) : "";
        evidence.add(EvidenceFigures.growth(pages, summary + each));
        EvidenceFigures.grown(
                        observation,
                        CgroupFigure.MAJOR_FAULTS.of(service),
                        End.SERVER,
                        times ->
                                "%s waited %.0f times for a page to be read"
                                        .formatted(service, times))
                .ifPresent(evidence::add);
        observation
                .timeline()
                .beside(pages, CgroupFigure.SWAP)
                .filter(s -> s.max() > 0)
                .map(s ->
                        EvidenceFigures.largest(
                                s,
                                null,
                                "it had up to %s in swap"
                                        .formatted(EvidenceFigures.megabytes(s.max()))))
                .ifPresent(evidence::add);
        evidence.add(
                EvidenceFigures.largest(
                        waits,
                        null,
                        "derived: on average %.2f threads waited for a page"
                                .formatted(Budget.mean(waits))));
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
        return MemoryLimit.more(binds, CgroupFigure.SWAP_REFAULTS, observation, experiment);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "raise memory.max or memory.high (cgroup v2), memory.limit_in_bytes (v1), docker --memory or the pod's memory limit, or give the host more memory",
                        "more memory"),
                new Advice(
                        "a smaller heap in a JVM (-Xmx), smaller caches, fewer programs on the host",
                        "time in the collector, or throughput"));
    }
}
