package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Timeline;

/// The collectors of one JVM. All its figures are those of this JVM.
///
/// @param subject of its figures: the service if that has one JVM
/// @param name of the JVM, for people
/// @param counted whether the pauses are counted; otherwise `stoppedShare` is a lower bound
/// @param cpuShare their share of the JVM's CPU time
/// @param serviceCpuShare the share of the service's CPU time that the collectors of all its JVMs
///   took
/// @param longestNanos the longest pause seen, `NaN` if the JVM does not report it
record Collector(
        String service,
        String subject,
        String name,
        End end,
        boolean counted,
        double stoppedShare,
        double cpuShare,
        double serviceCpuShare,
        double longestNanos) {
    /// Those of all JVMs, the JVM that lost the most first.
    static List<Collector> all(Observation observation) {
        Timeline timeline = observation.timeline();
        return timeline.all(JvmFigure.COLLECTOR_CPU)
                .filter(s -> !Double.isNaN(s.last()))
                .filter(s -> timeline.beside(s, JvmFigure.PID).isEmpty())
                .flatMap(s -> ofService(observation, s.subject(), s.end()))
                .sorted(Comparator.comparingDouble(Collector::lost).reversed())
                .toList();
    }

    /// The judgement of a wall of collectors if none was seen.
    static Judgement unseen(Wall wall, Observation observation) {
        return observation.facts().services().stream().anyMatch(one -> one.runtime() != null)
                ? new Judgement.Unknown(wall, Missing.COLLECTOR)
                : new Judgement.Clear(wall, "no JVM was seen among the services");
    }

    private static Stream<Collector> ofService(Observation observation, String service, End end) {
        Timeline timeline = observation.timeline();
        double all =
                Symptoms.share(
                        timeline.growth(JvmFigure.COLLECTOR_CPU.of(service), end),
                        timeline.growth(ProcessFigure.CPU.of(service), end));
        List<Collector> several =
                IntStream.rangeClosed(1, JvmFigure.JVMS_MAX)
                        .mapToObj(number -> JvmFigure.subject(service, number))
                        .flatMap(subject -> ofOne(observation, service, subject, end, all).stream())
                        .toList();
        return several.isEmpty()
                ? Stream.of(of(observation, service, service, service, end, all, all))
                : several.stream();
    }

    /// One of the service's JVMs, if it exists.
    private static Optional<Collector> ofOne(
            Observation observation, String service, String subject, End end, double all) {
        Timeline timeline = observation.timeline();
        double own =
                Symptoms.share(
                        timeline.growth(JvmFigure.COLLECTOR_CPU.of(subject), end),
                        timeline.growth(JvmFigure.PROCESS_CPU.of(subject), end));
        return timeline.find(JvmFigure.PID.of(subject), end)
                .map(s -> "process %.0f of %s".formatted(s.last(), service))
                .map(name -> of(observation, service, subject, name, end, own, all));
    }

    /// If pauses are not counted, the CPU time of a thread that works only in pauses is a lower
    /// bound.
    private static Collector of(
            Observation observation,
            String service,
            String subject,
            String name,
            End end,
            double cpuShare,
            double serviceCpuShare) {
        Timeline timeline = observation.timeline();
        double paused =
                Math.max(
                        timeline.growth(JvmFigure.PAUSE_SECONDS.of(subject), end),
                        timeline.growth(JvmFigure.STOPPING_CPU.of(subject), end));
        return new Collector(
                service,
                subject,
                name,
                end,
                !Double.isNaN(timeline.last(JvmFigure.PAUSE_SECONDS.of(subject), end)),
                Symptoms.share(paused, Symptoms.watchedSeconds(observation)),
                cpuShare,
                serviceCpuShare,
                timeline.last(JvmFigure.LONGEST_PAUSE.of(subject), end) * 1e9);
    }

    /// The larger of two shares: the time in which the JVM was stopped, and the CPU time that the
    /// collectors took.
    double lost() {
        return Math.max(stoppedShare, Math.min(cpuShare, serviceCpuShare));
    }

    /// Whether they take this share of the CPU time. A JVM that uses little of the service's CPU
    /// time takes none from the service.
    boolean takesCpu(double share) {
        return cpuShare >= share && serviceCpuShare >= share;
    }

    double growth(Observation observation, JvmFigure figure) {
        return observation.timeline().growth(figure.of(subject), end);
    }

    String describe() {
        return "the collector of %s stopped the world for %s%s of the time and took %s of its CPU"
                .formatted(
                        name,
                        counted ? "" : "at least ",
                        EvidenceFigures.percent(stoppedShare),
                        EvidenceFigures.percent(cpuShare));
    }

    List<Evidence> evidence(Observation observation) {
        List<Evidence> evidence = new ArrayList<>();
        String of = subject.equals(service) ? "" : " of " + name;
        String user = subject.equals(service) ? "the service" : name;
        add(
                observation,
                JvmFigure.PAUSE_SECONDS,
                "the collector%s had stopped the world for %s of the time"
                        .formatted(of, EvidenceFigures.percent(stoppedShare)),
                evidence);
        add(
                observation,
                JvmFigure.COLLECTOR_CPU,
                "its threads took %s of the CPU that %s used"
                        .formatted(EvidenceFigures.percent(cpuShare), user),
                evidence);
        EvidenceFigures.grown(observation, JvmFigure.PAUSES.of(subject), end, this::pauses)
                .ifPresent(evidence::add);
        evidence.addAll(HeapLevel.of(observation, this).evidence(observation));
        return evidence;
    }

    private String pauses(double count) {
        return Double.isNaN(longestNanos)
                ? "%.0f pauses".formatted(count)
                : "there were %.0f pauses; the longest seen took %s"
                        .formatted(count, EvidenceFigures.millis(longestNanos));
    }

    private void add(
            Observation observation, JvmFigure figure, String says, List<Evidence> evidence) {
        EvidenceFigures.grown(observation, figure.of(subject), end, _ -> says)
                .ifPresent(evidence::add);
    }
}
