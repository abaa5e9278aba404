package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;

/// Evidence from the kernel's CPU counters.
final class CpuEvidence {
    /// Every host loses a little; a smaller share is not mentioned.
    static final double LOST_SHARE_MIN = 0.05;

    private CpuEvidence() {}

    static List<Evidence> used(Observation observation, End end) {
        CpuUse cpu = CpuUse.of(observation);
        int cpus = end == End.SERVER ? cpu.cpus() : observation.facts().clientCpus();
        return grown(observation, ProcessFigure.CPU, end)
                .map(s ->
                        EvidenceFigures.growth(
                                s,
                                "%s used %.2f CPU seconds in %.2f s (%.2f of %d CPU%s)"
                                        .formatted(
                                                s.subject(),
                                                s.growth(),
                                                cpu.seconds(),
                                                Symptoms.share(s.growth(), cpu.seconds()),
                                                cpus,
                                                cpus == 1 ? "" : "s")))
                .toList();
    }

    /// The threads of an end that ran, or were ready to run, nearly all the time.
    static List<Evidence> busiest(Observation observation, End end) {
        double seconds = Symptoms.watchedSeconds(observation);
        List<Evidence> evidence = new ArrayList<>();
        grown(observation, ProcessFigure.BUSIEST_THREAD, end)
                .filter(s -> s.growth() >= CpuUse.SATURATED_SHARE * seconds)
                .forEach(s ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        s,
                                        "the busiest thread of %s used %.2f CPU seconds in %.2f s, and a thread can use one CPU at most"
                                                .formatted(s.subject(), s.growth(), seconds))));
        grown(observation, ProcessFigure.BUSIEST_WANTED, end)
                .filter(s -> s.growth() >= CpuUse.SATURATED_SHARE * seconds)
                .forEach(s ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        s,
                                        "one thread of %s ran or was ready to run for %.2f s of %.2f s: it slept in %s of the time"
                                                .formatted(
                                                        s.subject(),
                                                        s.growth(),
                                                        seconds,
                                                        EvidenceFigures.percent(
                                                                1
                                                                        - Math.min(
                                                                                1,
                                                                                Symptoms.share(
                                                                                        s.growth(),
                                                                                        seconds)))))));
        return evidence;
    }

    /// What makes a batch of requests longer than a single request.
    static Evidence ofBatches(Symptoms symptoms) {
        double cpuNanos = symptoms.cpu().share() * symptoms.meanNanos();
        return new Evidence(
                new Key.Derived("CPU time of a batch"),
                End.SERVER,
                Basis.DERIVED,
                null,
                cpuNanos / 1e3,
                null,
                "derived: share of the CPU time x mean time of a batch",
                "a batch of requests takes %s, a single request %s: a batch uses the CPUs for %s of the difference of %s"
                        .formatted(
                                EvidenceFigures.millis(symptoms.meanNanos()),
                                EvidenceFigures.millis(symptoms.unloadedNanos()),
                                EvidenceFigures.millis(cpuNanos),
                                EvidenceFigures.millis(
                                        symptoms.meanNanos() - symptoms.unloadedNanos())));
    }

    /// The programs that took the CPU for which the services waited.
    static List<Evidence> taken(Observation observation) {
        double seconds = Symptoms.watchedSeconds(observation);
        List<Evidence> evidence = new ArrayList<>();
        grown(observation, ProcessFigure.WAITING, End.SERVER)
                .filter(s -> s.growth() >= LOST_SHARE_MIN * seconds)
                .forEach(s ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        s,
                                        "the threads of %s were ready to run but had no CPU for %.2f s in total, in %.2f s"
                                                .formatted(s.subject(), s.growth(), seconds))));
        if (evidence.isEmpty()) {
            return evidence;
        }
        if (observation.facts().sharedCpus()) {
            EvidenceFigures.find(observation, LoadFigure.GENERATOR_CPU, End.CLIENT)
                    .ifPresent(s ->
                            evidence.add(
                                    EvidenceFigures.growth(
                                            s,
                                            "the generator used %.2f CPU seconds of the same CPUs"
                                                    .formatted(s.growth()))));
        }
        EvidenceFigures.find(observation, EndFigure.CPUS_BUSY, End.SERVER)
                .ifPresent(s ->
                        evidence.add(
                                EvidenceFigures.growth(
                                        s,
                                        "all programs together used %.2f CPU seconds of these CPUs"
                                                .formatted(s.growth()))));
        return evidence;
    }

    private static Stream<Series> grown(Observation observation, ProcessFigure figure, End end) {
        return observation.timeline().all(figure, end).filter(s -> s.growth() > 0);
    }

    /// The CPU time that other programs took, or an empty text if it is small.
    static String lost(CpuUse cpu) {
        return cpu.lostShare() < LOST_SHARE_MIN
                ? ""
                : ", and waited %.2f s for CPUs that other programs used"
                        .formatted(cpu.lostSeconds());
    }
}
