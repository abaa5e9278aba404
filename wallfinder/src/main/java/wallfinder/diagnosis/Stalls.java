package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// The waits of one JVM's threads for memory while its collector works beside them.
///
/// @param share the share of the time in which at least one thread waited
/// @param threadSeconds the waits, summed over all threads
record Stalls(Collector of, double count, double share, double threadSeconds, double longestNanos) {
    /// If waits for memory take this share of the answers' time, the answers take a third less
    /// without them.
    private static final double TIME_SHARE = 1.0 / 3;

    /// A wait explains the tail if it is this part of the tail's length.
    private static final double TAIL_PART = 0.5;

    /// At least half of the slowest hundredth must have met a wait.
    private static final double TAIL_SHARE = 0.005;

    static final List<Advice> ADVICE =
            List.of(
                    new Advice(
                            "a larger heap: -Xmx, or -XX:MaxRAMPercentage and a larger memory limit",
                            "more memory"),
                    new Advice(
                            "more threads for the collector: -XX:ConcGCThreads=N",
                            "CPU time of the service"),
                    new Advice(
                            "another collector where throughput matters: -XX:+UseG1GC or -XX:+UseParallelGC",
                            "longer pauses"),
                    new Advice(
                            "make less garbage: a profile shows who allocates (wallfinder profile)",
                            "your time"));

    static Stalls of(Observation observation, Collector of) {
        Key longest = JvmFigure.LONGEST_STALL.of(of.subject());
        return new Stalls(
                of,
                of.growth(observation, JvmFigure.ALLOCATION_STALLS),
                Symptoms.share(
                        of.growth(observation, JvmFigure.STALLED_SECONDS),
                        Symptoms.watchedSeconds(observation)),
                of.growth(observation, JvmFigure.STALLED_THREAD_SECONDS),
                observation.timeline().last(longest, of.end()) * 1e9);
    }

    /// The harm that the waits explain. Other threads may answer while one waits, so the waits are
    /// compared with the time of all answers, not with the time of the measurement.
    Optional<Harm> harm(Symptoms symptoms, LoadOutcome load) {
        // Without a free CPU the collector takes longer; then only its CPU time counts.
        if (count == 0 || symptoms.cpuSaturated()) {
            return Optional.empty();
        }
        if (!symptoms.known()) {
            return share >= Gc.STOPPED_SHARE ? Optional.of(Harm.THROUGHPUT) : Optional.empty();
        }
        double answersSeconds = load.answered() * symptoms.meanNanos() / 1e9;
        if (symptoms.throughputBends() && threadSeconds >= TIME_SHARE * answersSeconds) {
            return Optional.of(Harm.THROUGHPUT);
        }
        boolean makesTheTail =
                symptoms.tailJumps()
                        && longestNanos >= TAIL_PART * symptoms.p99Nanos()
                        && threadSeconds * 1e9
                                >= TAIL_PART * symptoms.p99Nanos() * TAIL_SHARE * load.answered();
        return makesTheTail ? Optional.of(Harm.LATENCY) : Optional.empty();
    }

    List<Evidence> evidence(Observation observation) {
        List<Evidence> evidence = new ArrayList<>();
        EvidenceFigures.grown(
                        observation,
                        JvmFigure.ALLOCATION_STALLS.of(of.subject()),
                        of.end(),
                        grown ->
                                "threads of %s waited for memory %.0f times while ZGC collected, for %.2f s in all; the longest wait took %s"
                                        .formatted(
                                                of.name(),
                                                grown,
                                                threadSeconds,
                                                EvidenceFigures.millis(longestNanos)))
                .ifPresent(evidence::add);
        EvidenceFigures.grown(
                        observation,
                        JvmFigure.STALLED_SECONDS.of(of.subject()),
                        of.end(),
                        _ ->
                                "at least one thread waited for %s of the time"
                                        .formatted(EvidenceFigures.percent(share)))
                .ifPresent(evidence::add);
        return evidence;
    }
}
