package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A JVM's heap is full of live objects: an allocation fails with `java.lang.OutOfMemoryError: Java
/// heap space`, or the collector works nearly all the time and frees next to nothing.
///
/// A program may catch the error and log nothing. Before an allocation fails, the JVM collects the
/// whole heap. So full collections that follow one another and leave the heap full prove failed
/// allocations if there are at least as many of them as requests that failed.
///
/// In [MemoryLimit] the kernel kills the process; in [Gc] a collection does free memory.
public record Heap() implements Wall {
    /// A JVM that is stopped for this share of the time does little but collect garbage.
    private static final double COLLECTING_SHARE = 0.5;

    /// A program may request one collection, and its start may cause another one.
    private static final int FULL_COLLECTIONS_MIN = 3;

    /// While a heap has room, most collections are not full ones. When it has none, G1 tries
    /// another collection before each pair of full ones.
    private static final double FULL_COLLECTIONS_SHARE = 0.5;

    @Override
    public WallId id() {
        return WallId.HEAP;
    }

    /// A JVM that works without room in its heap.
    ///
    /// @param caught whether allocations failed; otherwise it collects nearly all the time
    private record Full(Collector collector, boolean caught) {}

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Series> errors = outOfMemory(observation, symptoms.leavesUnanswered());
        Optional<Full> full = full(observation, symptoms, errors);
        if (errors.isEmpty() && full.isEmpty()) {
            return notFull(observation, symptoms);
        }
        String name =
                errors.map(Series::subject)
                        .orElseGet(() -> full.map(one -> one.collector().name()).orElse(""));
        End end =
                errors.map(s -> s.end())
                        .orElseGet(() -> full.map(one -> one.collector().end()).orElse(End.SERVER));
        List<Evidence> evidence = evidence(observation, errors, full);
        if (symptoms.known() && !symptoms.stopped()) {
            return new Judgement.Near(
                    this, end, evidence, name + " filled its heap, without harm to this load");
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

    private static boolean isOf(Series series, Collector collector) {
        return series.end() == collector.end() && series.subject().equals(collector.service());
    }

    /// @param errors what a service logged; then only its JVMs count
    private static Optional<Full> full(
            Observation observation, Symptoms symptoms, Optional<Series> errors) {
        List<Collector> jvms =
                Collector.all(observation).stream()
                        .filter(one -> errors.isEmpty() || isOf(errors.get(), one))
                        .toList();
        return jvms.stream()
                .filter(one -> collectsInVain(observation, one))
                .findFirst()
                .map(one -> new Full(one, false))
                .or(() ->
                        jvms.stream()
                                .filter(one -> failsAllocations(observation, symptoms, one))
                                .findFirst()
                                .map(one -> new Full(one, true)));
    }

    /// The collector works most of the time, and the heap stays full.
    private static boolean collectsInVain(Observation observation, Collector one) {
        return one.stoppedShare() >= COLLECTING_SHARE
                && one.cpuShare() >= COLLECTING_SHARE
                && HeapLevel.of(observation, one).staysFull()
                && one.growth(observation, JvmFigure.FULL_COLLECTIONS) >= FULL_COLLECTIONS_MIN;
    }

    private static boolean failsAllocations(
            Observation observation, Symptoms symptoms, Collector one) {
        double full = one.growth(observation, JvmFigure.FULL_COLLECTIONS);
        double pauses = one.growth(observation, JvmFigure.PAUSES);
        return full >= FULL_COLLECTIONS_MIN
                && full >= FULL_COLLECTIONS_SHARE * pauses
                && HeapLevel.of(observation, one).runsFull()
                && (hasEnded(observation, one) || explains(observation, symptoms, full));
    }

    private static boolean hasEnded(Observation observation, Collector one) {
        Key key = JvmFigure.COLLECTOR_CPU.of(one.subject());
        return observation
                .timeline()
                .find(key, one.end())
                .filter(s -> Double.isNaN(s.values()[s.values().length - 1]))
                .isPresent();
    }

    /// Each failed allocation costs at least one full collection. A thread that ended leaves its
    /// connection without an answer, which may be any number of requests.
    private static boolean explains(
            Observation observation, Symptoms symptoms, double fullCollections) {
        LoadOutcome load = observation.load();
        double failed =
                Symptoms.badBegun(load)
                        + load.errors(ErrorKind.CLOSED)
                        + load.errors(ErrorKind.RESET)
                        + load.errors(ErrorKind.TLS_TRUNCATED);
        return symptoms.leavesUnanswered()
                || (symptoms.errorsBegin() && failed > 0 && failed <= fullCollections);
    }

    private Judgement notFull(Observation observation, Symptoms symptoms) {
        List<Collector> jvms = Collector.all(observation);
        if (jvms.isEmpty()) {
            return Collector.unseen(this, observation);
        }
        boolean fails = symptoms.errorsBegin() || symptoms.leavesUnanswered();
        if (fails && jvms.stream().anyMatch(one -> !countsFullCollections(observation, one))) {
            return new Judgement.Unknown(this, Missing.FULL_COLLECTIONS);
        }
        String level =
                jvms.stream()
                        .filter(one -> one.end() == End.SERVER)
                        .map(one -> HeapLevel.of(observation, one))
                        .filter(HeapLevel::known)
                        .findFirst()
                        .map(one -> ": " + one.describe())
                        .orElse("");
        return new Judgement.Clear(this, "no allocation failed, as far as was seen" + level);
    }

    private static boolean countsFullCollections(Observation observation, Collector one) {
        Key key = JvmFigure.FULL_COLLECTIONS.of(one.subject());
        return !Double.isNaN(observation.timeline().last(key, one.end()));
    }

    private static List<Evidence> evidence(
            Observation observation, Optional<Series> errors, Optional<Full> full) {
        List<Evidence> evidence = new ArrayList<>();
        errors.ifPresent(s -> evidence.add(EvidenceFigures.growth(s, describe(observation, s))));
        full.ifPresent(one -> evidence.addAll(evidence(observation, one)));
        full.map(Full::collector)
                .or(() -> errors.flatMap(s -> fullest(observation, s)))
                .ifPresent(one ->
                        evidence.addAll(HeapLevel.of(observation, one).evidence(observation)));
        return evidence;
    }

    /// The fullest JVM of the service that logged errors.
    private static Optional<Collector> fullest(Observation observation, Series errors) {
        return Collector.all(observation).stream()
                .filter(one -> isOf(errors, one))
                .max(
                        Comparator.comparingDouble(
                                one -> HeapLevel.of(observation, one).leastShare()));
    }

    private static List<Evidence> evidence(Observation observation, Full full) {
        Collector one = full.collector();
        Key seconds = JvmFigure.FULL_PAUSE_SECONDS.of(one.subject());
        List<Evidence> evidence = new ArrayList<>();
        if (full.caught()) {
            Key count = JvmFigure.FULL_COLLECTIONS.of(one.subject());
            double all = one.growth(observation, JvmFigure.PAUSES);
            EvidenceFigures.grown(
                            observation,
                            count,
                            one.end(),
                            grown ->
                                    "%.0f of %.0f collections of %s were full ones, and requests failed"
                                            .formatted(grown, all, one.name()))
                    .ifPresent(evidence::add);
            HeapLevel.of(observation, one).ofOldGeneration(observation).ifPresent(evidence::add);
        }
        EvidenceFigures.find(observation, seconds, one.end())
                .map(s ->
                        EvidenceFigures.growth(
                                s,
                                "collections had stopped the world for %s of the time, full ones for %.1f s"
                                        .formatted(
                                                EvidenceFigures.percent(one.stoppedShare()),
                                                s.growth())))
                .ifPresent(evidence::add);
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

    /// The log or the collections show failed allocations, and the load shows failed requests.
    @Override
    public Proof proof(Judgement.Binds binds) {
        return binds.harm() == Harm.ERRORS ? Proof.ERRORS : Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        Symptoms symptoms = Symptoms.of(observation);
        Optional<Series> errors = outOfMemory(observation, symptoms.leavesUnanswered());
        String service =
                errors.map(Series::subject)
                        .or(() ->
                                full(observation, symptoms, errors)
                                        .map(one -> one.collector().service()))
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
                        "a full collection, or a file as large as the heap, with all the data in it"),
                new Advice(
                        "end instead of going on without memory: -XX:+ExitOnOutOfMemoryError",
                        "all connections break at once"));
    }
}
