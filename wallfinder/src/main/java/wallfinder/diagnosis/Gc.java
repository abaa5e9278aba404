package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Timeline;

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

    @Override
    public Judgement judge(Observation observation, Symptoms symptoms, Judgements others) {
        Optional<Collector> worst = Collector.worst(observation);
        if (worst.isEmpty()) {
            return new Judgement.Clear(this, "no JVM was seen among the services");
        }
        Collector collector = worst.get();
        String cause = others.cause(id());
        if (cause != null) {
            return new Judgement.Clear(this, cause + ": " + collector.describe());
        }
        Stalls stalls = Stalls.of(observation, collector);
        boolean large =
                collector.stoppedShare() >= STOPPED_SHARE
                        || collector.cpuShare() >= CPU_SHARE
                        || stalls.share() >= STOPPED_SHARE;
        Optional<Harm> harm =
                collector.end() == End.CLIENT
                        ? ofClient(observation, collector)
                        : harm(symptoms, collector)
                                .or(() -> stalls.harm(symptoms, observation.load()));
        List<Evidence> evidence = new ArrayList<>(stalls.evidence(observation));
        evidence.addAll(collector.evidence(observation));
        if (harm.isPresent()) {
            return new Judgement.Binds(this, collector.end(), harm.get(), evidence);
        }
        return large
                ? new Judgement.Near(this, collector.end(), evidence, collector.describe())
                : new Judgement.Clear(this, collector.describe());
    }

    private static Optional<Harm> harm(Symptoms symptoms, Collector collector) {
        // If other programs take the CPU, pauses last longer; then only the CPU time counts.
        boolean stops =
                symptoms.cpuSaturated()
                        ? collector.cpuShare() >= CPU_SHARE
                        : collector.stoppedShare() >= STOPPED_SHARE;
        if (!symptoms.known()) {
            return stops ? Optional.of(Harm.THROUGHPUT) : Optional.empty();
        }
        if (symptoms.throughputBends() && stops) {
            return Optional.of(Harm.THROUGHPUT);
        }
        double ownPart =
                1 - Symptoms.share(symptoms.cpu().lostShare(), symptoms.cpu().wantedShare());
        double part = collector.stoppedShare() >= OFTEN_STOPPED_SHARE ? OFTEN_TAIL_PART : TAIL_PART;
        boolean makesTheTail =
                symptoms.tailJumps()
                        && collector.longestNanos() * ownPart >= part * symptoms.p99Nanos()
                        && collector.stoppedShare() >= TAIL_STOPPED_SHARE;
        return makesTheTail ? Optional.of(Harm.LATENCY) : Optional.empty();
    }

    /// A stopped client sends nothing; a client whose collector takes all its CPU sends less.
    private static Optional<Harm> ofClient(Observation observation, Collector collector) {
        boolean stops = collector.stoppedShare() >= STOPPED_SHARE;
        boolean takesTheCpu = collector.cpuShare() >= CPU_SHARE && Cpu.saturatesClient(observation);
        return stops || takesTheCpu ? Optional.of(Harm.THROUGHPUT) : Optional.empty();
    }

    /// The larger of two shares for the JVM that lost the most: the time in which collectors
    /// stopped it, and the share of its CPU time that they took.
    public static double share(Observation observation) {
        return Collector.worst(observation)
                .map(one -> Math.max(one.stoppedShare(), one.cpuShare()))
                .orElse(0.0);
    }

    /// The collectors of one service.
    ///
    /// @param counted whether the pauses are counted; otherwise `stoppedShare` is a lower bound
    /// @param cpuShare their share of the service's CPU time
    /// @param longestNanos the longest pause seen, `NaN` if the JVM does not report it
    record Collector(
            String service,
            End end,
            boolean counted,
            double stoppedShare,
            double cpuShare,
            double longestNanos) {
        /// The collectors of the service that lost the most.
        static Optional<Collector> worst(Observation observation) {
            return observation
                    .timeline()
                    .all(JvmFigure.COLLECTOR_CPU)
                    .filter(s -> !Double.isNaN(s.last()))
                    .map(s -> of(observation, s.subject(), s.end()))
                    .max(Comparator.comparingDouble(c -> Math.max(c.stoppedShare(), c.cpuShare())));
        }

        /// If pauses are not counted, the CPU time of a thread that works only in pauses is a lower
        /// bound.
        private static Collector of(Observation observation, String service, End end) {
            Timeline timeline = observation.timeline();
            double paused =
                    Math.max(
                            timeline.growth(JvmFigure.PAUSE_SECONDS.of(service), end),
                            timeline.growth(JvmFigure.STOPPING_CPU.of(service), end));
            return new Collector(
                    service,
                    end,
                    !Double.isNaN(timeline.last(JvmFigure.PAUSE_SECONDS.of(service), end)),
                    Symptoms.share(paused, Symptoms.watchedSeconds(observation)),
                    Symptoms.share(
                            timeline.growth(JvmFigure.COLLECTOR_CPU.of(service), end),
                            timeline.growth(ProcessFigure.CPU.of(service), end)),
                    timeline.find(JvmFigure.LONGEST_PAUSE.of(service), end)
                            .map(s -> s.last() * 1e9)
                            .orElse(Double.NaN));
        }

        String describe() {
            return "the collector of %s stopped the world for %s%s of the time and took %s of its CPU"
                    .formatted(
                            service,
                            counted ? "" : "at least ",
                            EvidenceFigures.percent(stoppedShare),
                            EvidenceFigures.percent(cpuShare));
        }

        List<Evidence> evidence(Observation observation) {
            List<Evidence> evidence = new ArrayList<>();
            String paused = "the collector had stopped the world for %s of the time";
            String used = "its threads took %s of the CPU that the service used";
            add(observation, JvmFigure.PAUSE_SECONDS, paused, stoppedShare, evidence);
            add(observation, JvmFigure.COLLECTOR_CPU, used, cpuShare, evidence);
            EvidenceFigures.grown(observation, JvmFigure.PAUSES.of(service), end, this::pauses)
                    .ifPresent(evidence::add);
            evidence.addAll(Heap.levels(observation, service, end));
            return evidence;
        }

        private String pauses(double count) {
            return Double.isNaN(longestNanos)
                    ? "%.0f pauses".formatted(count)
                    : "there were %.0f pauses; the longest seen took %s"
                            .formatted(count, EvidenceFigures.millis(longestNanos));
        }

        private void add(
                Observation observation,
                JvmFigure figure,
                String form,
                double share,
                List<Evidence> to) {
            String says = form.formatted(EvidenceFigures.percent(share));
            EvidenceFigures.grown(observation, figure.of(service), end, _ -> says)
                    .ifPresent(to::add);
        }
    }

    @Override
    public Proof proof(Judgement.Binds binds) {
        return Proof.TIMING;
    }

    @Override
    public List<Remedy> remedies(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        String service = Collector.worst(observation).map(Collector::service).orElse("");
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
        if (Collector.worst(observation)
                .filter(c -> Stalls.of(observation, c).count() > 0)
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
                        "make less garbage: jcmd PID JFR.start settings=profile, and look at the allocations",
                        "your time"));
    }
}
