package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A JVM's heap is full of what is in use: an allocation fails with `java.lang.OutOfMemoryError:
/// Java heap space`, or the collector works nearly all the time and finds next to nothing.
///
/// Not [MemoryLimit], where the kernel kills; not [Gc], where a collection does find room.
public record Heap() implements Wall {
    /// The heap never held less than this after a collection. Some of it is kept free to copy to.
    private static final double FULL_SHARE = 0.8;

    /// Stopped for this share of the time, it does little but collect.
    private static final double COLLECTING_SHARE = 0.5;

    /// A program may ask for one collection, and its start may cause another.
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
        return new Judgement.Binds(this, end, harm(symptoms), evidence);
    }

    private static Harm harm(Symptoms symptoms) {
        if (symptoms.errorsBegin() || symptoms.leavesUnanswered() || !symptoms.known()) {
            return Harm.ERRORS;
        }
        return symptoms.throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
    }

    /// @param lasting whether errors of before the measurement may harm it still: a thread that one
    ///   of them ended never answers
    private static Optional<Series> outOfMemory(Observation observation, boolean lasting) {
        return lasting
                ? EvidenceFigures.worst(observation, LogFigure.HEAP_ERRORS, s -> s.last() > 0)
                : EvidenceFigures.fatal(observation, LogFigure.HEAP_ERRORS);
    }

    /// The collector that does little but collect a heap which stays full.
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

    /// What the heap held at least after a collection, in the second half of the measurement: the
    /// first may be the filling.
    private static double least(Observation observation, String service, End end) {
        double least = Double.NaN;
        double[] values =
                observation
                        .timeline()
                        .find(JvmFigure.HEAP_USED.of(service), end)
                        .map(Series::values)
                        .orElse(new double[0]);
        for (int i = values.length / 2; i < values.length; i++) {
            if (!Double.isNaN(values[i]) && !(values[i] >= least)) {
                least = values[i];
            }
        }
        return least;
    }

    private static String fullest(Observation observation) {
        if (Gc.Collector.worst(observation).isEmpty()) {
            return "no JVM was seen among the services";
        }
        String told =
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
                                                megabytes(least(observation, service, End.SERVER)),
                                                megabytes(max(observation, service, End.SERVER))))
                        .findFirst()
                        .orElse("");
        return "no allocation failed, as far as the log tells" + told;
    }

    private static List<Evidence> evidence(
            Observation observation,
            String service,
            End end,
            Optional<Series> errors,
            Optional<Gc.Collector> thrash) {
        List<Evidence> evidence = new ArrayList<>();
        errors.ifPresent(s -> evidence.add(EvidenceFigures.growth(s, told(observation, s))));
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

    private static String told(Observation observation, Series errors) {
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

    /// How full the heap was.
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
                                                megabytes(least(observation, service, end)),
                                                megabytes(s.max()),
                                                megabytes(max))))
                .map(List::of)
                .orElse(List.of());
    }

    private static String megabytes(double bytes) {
        return "%.0f MB".formatted(bytes / EvidenceFigures.MEGABYTE);
    }

    /// An allocation that failed is in the log, and so are the requests that it failed.
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
                        "that much memory"),
                new Advice(
                        "look at what fills it: jcmd PID GC.class_histogram, or -XX:+HeapDumpOnOutOfMemoryError",
                        "your time"),
                new Advice(
                        "end instead of going on without memory: -XX:+ExitOnOutOfMemoryError",
                        "all connections break at once"));
    }
}
