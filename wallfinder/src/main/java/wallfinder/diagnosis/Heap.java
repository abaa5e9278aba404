package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A JVM's heap is full of live objects: an allocation fails with `java.lang.OutOfMemoryError: Java
/// heap space`, or the collector works nearly all the time and frees next to nothing.
///
/// In [MemoryLimit] the kernel kills the process; in [Gc] a collection does free memory.
public record Heap() implements Wall {
    /// At least this share of the heap is in use after each collection; the rest may be kept for
    /// copying.
    private static final double FULL_SHARE = 0.8;

    /// A JVM that is stopped for this share of the time does little but collect garbage.
    private static final double COLLECTING_SHARE = 0.5;

    /// A program may request one collection, and its start may cause another one.
    private static final int FULL_COLLECTIONS_MIN = 3;

    @Override
    public WallId id() {
        return WallId.HEAP;
    }

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> errors = outOfMemory(observation, symptoms.leavesUnanswered());
        Optional<Gc.Collector> thrash = thrash(observation);
        if (errors.isEmpty() && thrash.isEmpty()) {
            return new Judgement.Clear(this, fullest(observation));
        }
        String service =
                errors.map(Series::subject)
                        .orElseGet(() -> thrash.map(Gc.Collector::service).orElse(""));
        End end =
                errors.map(s -> s.end())
                        .orElseGet(() -> thrash.map(Gc.Collector::end).orElse(End.SERVER));
        List<Evidence> evidence = evidence(observation, service, end, errors, thrash);
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(
                    this, end, evidence, service + " filled its heap, without harm to this load");
        }
        return new Judgement.Binds(this, end, symptoms.harm(Harm.ERRORS), evidence);
    }

    /// @param lasting whether errors from before the measurement may still do harm: a thread that
    ///   one of them ended never answers
    private static Optional<Series> outOfMemory(Observation observation, boolean lasting) {
        return lasting
                ? EvidenceFigures.worst(observation, LogFigure.HEAP_ERRORS, s -> s.last() > 0)
                : EvidenceFigures.fatal(observation, LogFigure.HEAP_ERRORS);
    }

    /// The collector that mostly collects while the heap stays full.
    private static Optional<Gc.Collector> thrash(Observation observation) {
        return Gc.Collector.worst(observation)
                .filter(c -> c.stoppedShare() >= COLLECTING_SHARE)
                .filter(c -> c.cpuShare() >= COLLECTING_SHARE)
                .filter(c -> staysFull(observation, c.service(), c.end()))
                .filter(c ->
                        observation
                                        .timeline()
                                        .growth(JvmFigure.FULL_COLLECTIONS.of(c.service()), c.end())
                                >= FULL_COLLECTIONS_MIN);
    }

    private static boolean staysFull(Observation observation, String service, End end) {
        return least(observation, service, end) >= FULL_SHARE * max(observation, service, end);
    }

    private static double max(Observation observation, String service, End end) {
        return observation.timeline().last(JvmFigure.HEAP_MAX.of(service), end);
    }

    /// The smallest use of the heap after a collection in the second half of the measurement; in
    /// the first half, the heap may still be filling.
    private static double least(Observation observation, String service, End end) {
        double[] values =
                observation
                        .timeline()
                        .find(JvmFigure.HEAP_USED.of(service), end)
                        .map(Series::values)
                        .orElse(new double[0]);
        return Arrays.stream(values, values.length / 2, values.length)
                .filter(value -> !Double.isNaN(value))
                .min()
                .orElse(Double.NaN);
    }

    private static String fullest(Observation observation) {
        if (Gc.Collector.worst(observation).isEmpty()) {
            return "no JVM was seen among the services";
        }
        String level =
                observation
                        .timeline()
                        .all(JvmFigure.HEAP_USED, End.SERVER)
                        .map(Series::subject)
                        .filter(service -> !Double.isNaN(least(observation, service, End.SERVER)))
                        .filter(service -> !Double.isNaN(max(observation, service, End.SERVER)))
                        .map(service ->
                                ": %s held %s after a collection, of a heap of %s"
                                        .formatted(
                                                service,
                                                EvidenceFigures.megabytes(
                                                        least(observation, service, End.SERVER)),
                                                EvidenceFigures.megabytes(
                                                        max(observation, service, End.SERVER))))
                        .findFirst()
                        .orElse("");
        return "no allocation failed, as far as the log shows" + level;
    }

    private static List<Evidence> evidence(
            Observation observation,
            String service,
            End end,
            Optional<Series> errors,
            Optional<Gc.Collector> thrash) {
        List<Evidence> evidence = new ArrayList<>();
        errors.ifPresent(s -> evidence.add(EvidenceFigures.growth(s, describe(observation, s))));
        thrash.ifPresent(c ->
                observation
                        .timeline()
                        .find(JvmFigure.FULL_PAUSE_SECONDS.of(service), end)
                        .ifPresent(s ->
                                evidence.add(
                                        EvidenceFigures.growth(
                                                s,
                                                "collections had stopped the world for %s of the time, full ones for %.1f s"
                                                        .formatted(
                                                                EvidenceFigures.percent(
                                                                        c.stoppedShare()),
                                                                s.growth())))));
        evidence.addAll(levels(observation, service, end));
        return evidence;
    }

    private static String describe(Observation observation, Series errors) {
        boolean now = errors.growth() > 0;
        String wrote =
                "%s wrote OutOfMemoryError for its heap %.0f times"
                        .formatted(errors.subject(), now ? errors.growth() : errors.last());
        if (now) {
            return wrote;
        }
        return wrote
                + " before the measurement began, and "
                + (EvidenceFigures.gone(observation, errors)
                        ? "is gone"
                        : "never answers what it had then");
    }

    /// The level of the heap after collections.
    static List<Evidence> levels(Observation observation, String service, End end) {
        double max = max(observation, service, end);
        return observation
                .timeline()
                .find(JvmFigure.HEAP_USED.of(service), end)
                .filter(s -> !Double.isNaN(least(observation, service, end)) && max > 0)
                .map(s ->
                        EvidenceFigures.level(
                                s,
                                max,
                                "collections left between %s and %s in a heap of %s"
                                        .formatted(
                                                EvidenceFigures.megabytes(
                                                        least(observation, service, end)),
                                                EvidenceFigures.megabytes(s.max()),
                                                EvidenceFigures.megabytes(max))))
                .map(List::of)
                .orElse(List.of());
    }

    /// The log shows failed allocations, and the load shows failed requests.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return binds.harm() == Harm.ERRORS ? Proof.ERRORS : Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String service =
                outOfMemory(observation, true)
                        .map(Series::subject)
                        .or(() -> thrash(observation).map(Gc.Collector::service))
                        .orElse("");
        List<Remedy> remedies =
                new ArrayList<>(JvmRemedies.knobs(id(), observation, experiment, service));
        remedies.addAll(JvmRemedies.heap(observation, experiment, service));
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        return List.of(
                new Advice(
                        "a larger heap: -Xmx, or -XX:MaxRAMPercentage and a larger memory limit",
                        "more memory"),
                new Advice(
                        "look at what fills it: jcmd PID GC.class_histogram, or -XX:+HeapDumpOnOutOfMemoryError",
                        "your time"),
                new Advice(
                        "end instead of going on without memory: -XX:+ExitOnOutOfMemoryError",
                        "all connections break at once"));
    }
}
