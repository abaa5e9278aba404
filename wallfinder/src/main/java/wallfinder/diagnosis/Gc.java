package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// A JVM's garbage collector often stops the service, or takes the CPU that the service needs,
/// although the heap is not full. If the heap is full, the wall is [Heap].
///
/// Both are visible from outside: the pauses in the file in which the JVM counts them, the CPU time
/// in the threads, which have the collector's names. Threads that wait for memory while ZGC works
/// beside them are visible only in its log ([Stalls]).
public record Gc() implements Wall {
    /// A service that is stopped for this share of the time answers a quarter less than it could.
    static final double STOPPED_SHARE = 0.25;

    /// Without the collector, a CPU-bound service would answer half as much again.
    static final double CPU_SHARE = 1.0 / 3;

    /// A pause explains the tail if it is this part of the tail's length and hits enough requests.
    private static final double TAIL_PART = 0.5;

    /// One request in a hundred is in the tail; at least half of those must meet a pause.
    private static final double TAIL_STOPPED_SHARE = 0.005;

    /// If one request in twenty meets a pause, pauses may follow each other.
    private static final double OFTEN_STOPPED_SHARE = 0.05;

    /// In that case, five pauses in a row explain the slowest requests.
    private static final double OFTEN_TAIL_PART = 0.2;

    @Override
    public WallId id() {
        return WallId.GC;
    }

    /// A JVM that harms the load.
    private record Named(Collector collector, Harm harm) {}

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        List<Collector> jvms = Collector.all(observation);
        if (jvms.isEmpty()) {
            return Collector.unseen(this, observation);
        }
        Collector worst = jvms.getFirst();
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(this, cause + ": " + worst.describe());
        }
        Optional<Named> named = named(observation, symptoms);
        if (named.isPresent()) {
            Collector collector = named.get().collector();
            return new Judgement.Binds(
                    this, collector.end(), named.get().harm(), evidence(observation, collector));
        }
        return jvms.stream()
                .filter(one -> isLarge(observation, one))
                .findFirst()
                .<Judgement>map(one ->
                        new Judgement.Near(
                                this, one.end(), evidence(observation, one), one.describe()))
                .orElseGet(() ->
                        new Judgement.Clear(
                                this, worst.describe() + ": too little to limit the load"));
    }

    /// The JVM that does the worst harm by its own figures. While one JVM is stopped, another one
    /// works, so their figures do not add up.
    private static Optional<Named> named(Observation observation, Symptoms symptoms) {
        return Collector.all(observation).stream()
                .flatMap(one ->
                        harm(observation, symptoms, one).map(harm -> new Named(one, harm)).stream())
                .min(Comparator.comparing(Named::harm));
    }

    private static Optional<Harm> harm(
            Observation observation, Symptoms symptoms, Collector collector) {
        return collector.end() == End.CLIENT
                ? ofClient(observation, collector)
                : ofServer(observation, symptoms, collector)
                        .or(() ->
                                Stalls.of(observation, collector)
                                        .harm(symptoms, observation.load()));
    }

    private static boolean isLarge(Observation observation, Collector collector) {
        return collector.stoppedShare() >= STOPPED_SHARE
                || collector.takesCpu(CPU_SHARE)
                || Stalls.of(observation, collector).share() >= STOPPED_SHARE;
    }

    private static List<Evidence> evidence(Observation observation, Collector collector) {
        List<Evidence> evidence =
                new ArrayList<>(Stalls.of(observation, collector).evidence(observation));
        evidence.addAll(collector.evidence(observation));
        return evidence;
    }

    private static Optional<Harm> ofServer(
            Observation observation, Symptoms symptoms, Collector collector) {
        // If other programs take the CPU, pauses last longer; then only the CPU time counts.
        boolean stops =
                symptoms.cpuSaturated()
                        ? collector.takesCpu(CPU_SHARE)
                        : collector.stoppedShare() >= STOPPED_SHARE;
        if (!symptoms.known()) {
            return stops ? Optional.of(Harm.THROUGHPUT) : Optional.empty();
        }
        if (symptoms.throughputBends() && stops) {
            return Optional.of(Harm.THROUGHPUT);
        }
        return symptoms.tailJumps() && makesTheTail(observation, symptoms, collector)
                ? Optional.of(Harm.LATENCY)
                : Optional.empty();
    }

    private static boolean makesTheTail(
            Observation observation, Symptoms symptoms, Collector collector) {
        double ownPart =
                1 - Symptoms.share(symptoms.cpu().lostShare(), symptoms.cpu().wantedShare());
        double part = collector.stoppedShare() >= OFTEN_STOPPED_SHARE ? OFTEN_TAIL_PART : TAIL_PART;
        double longNanos = part * symptoms.p99Nanos();
        return collector.longestNanos() * ownPart >= longNanos
                && collector.stoppedShare() >= TAIL_STOPPED_SHARE
                && recurs(observation, collector, longNanos)
                && metShare(observation, collector, longNanos) >= TAIL_STOPPED_SHARE;
    }

    /// One long pause in a measurement may be chance, unless it takes a good part of the time.
    private static boolean recurs(Observation observation, Collector collector, double nanos) {
        return collector.stoppedShare() >= OFTEN_STOPPED_SHARE
                || stoppedNanos(observation, collector) - collector.longestNanos() >= nanos;
    }

    private static double stoppedNanos(Observation observation, Collector collector) {
        return collector.stoppedShare() * Symptoms.watchedSeconds(observation) * 1e9;
    }

    /// The largest share of the requests that can have met a pause of this length. Connections that
    /// wait for their answers send nothing meanwhile, so a pause meets one request of each.
    private static double metShare(Observation observation, Collector collector, double nanos) {
        LoadOutcome load = observation.load();
        if (!(load instanceof LoadOutcome.Driven) || Symptoms.openLoop(load)) {
            return collector.stoppedShare();
        }
        double pauses = Math.max(1, stoppedNanos(observation, collector) / nanos);
        return Symptoms.share(pauses * load.connections(), load.answered());
    }

    /// A stopped client sends nothing; a client whose collector takes all its CPU sends less.
    private static Optional<Harm> ofClient(Observation observation, Collector collector) {
        boolean stops = collector.stoppedShare() >= STOPPED_SHARE;
        boolean takesTheCpu = collector.takesCpu(CPU_SHARE) && Cpu.saturatesClient(observation);
        return stops || takesTheCpu ? Optional.of(Harm.THROUGHPUT) : Optional.empty();
    }

    /// The larger of two shares for the JVM that lost the most: the time in which collectors
    /// stopped it, and the share of its CPU time that they took.
    public static double share(Observation observation) {
        return Collector.all(observation).stream().mapToDouble(Collector::lost).max().orElse(0.0);
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String service =
                named(observation, Symptoms.of(observation))
                        .map(one -> one.collector().service())
                        .orElse("");
        List<Remedy> remedies =
                new ArrayList<>(JvmRemedies.knobs(id(), observation, experiment, service));
        List<Remedy> heap = JvmRemedies.heap(observation, experiment, service);
        List<Remedy> collector =
                JvmRemedies.collector(observation, experiment, service, binds.harm());
        remedies.addAll(binds.harm() == Harm.LATENCY ? collector : heap);
        remedies.addAll(binds.harm() == Harm.LATENCY ? heap : collector);
        return List.copyOf(remedies);
    }

    @Override
    public List<Advice> advice(Judgement.Binds binds, Observation observation) {
        if (named(observation, Symptoms.of(observation))
                .filter(one -> Stalls.of(observation, one.collector()).count() > 0)
                .isPresent()) {
            return Stalls.ADVICE;
        }
        return List.of(
                new Advice(
                        "a larger heap: -Xmx, or -XX:MaxRAMPercentage and a larger memory limit",
                        "more memory"),
                new Advice(
                        "another collector: -XX:+UseParallelGC for the rate, -XX:+UseZGC for short pauses",
                        "ZGC takes extra CPU and memory, ParallelGC has long pauses"),
                new Advice(
                        "make less garbage: a profile shows who allocates (wallfinder profile)",
                        "your time",
                        "make less garbage: the profile shows who allocates"));
    }
}
