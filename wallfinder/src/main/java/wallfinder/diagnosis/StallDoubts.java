package wallfinder.diagnosis;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;

/// Doubts about stalls of the generator or the service that the percentiles hide, and about slow
/// answers.
final class StallDoubts {
    /// Shorter pauses of the generator do not matter.
    private static final double PAUSE_NANOS_MIN = 1e6;

    /// If at least this share of the time is spent above p99, a closed loop hides a stall. With
    /// exponentially distributed times it would be a hundredth.
    private static final double HIDDEN_SHARE_MAX = 0.05;

    /// If the maximum is more than twice the longest pause, it has another cause.
    private static final double OWN_PART_MIN = 0.5;

    /// Answers slower than all of those alone matter if they take this share of the time.
    private static final double SLOW_TIME_SHARE = 0.5;

    private StallDoubts() {}

    static void of(LoadOutcome.Driven load, Symptoms symptoms, List<Caveat> caveats) {
        if (load.responseNanos().getTotalCount() > 0) {
            ownPause(load.responseNanos(), load.generator().stalls(), caveats);
            // A generator without a CPU stalls by itself; another doubt covers that.
            if (load.loop() instanceof LoadOutcome.Loop.Closed && !LoadGenerator.starved(load)) {
                hiddenStalls(load.responseNanos(), caveats);
                if (load instanceof LoadOutcome.Requests requests) {
                    slowAlone(requests, symptoms, caveats);
                }
            }
        }
    }

    /// A paused generator cannot see an answer, so the pause may have caused the longest times. It
    /// cannot have caused a maximum far above its length.
    private static void ownPause(Histogram response, LoadOutcome.Stalls own, List<Caveat> caveats) {
        double longest = own.longestNanos();
        if (longest < PAUSE_NANOS_MIN
                || longest <= response.getValueAtPercentile(99)
                || longest < OWN_PART_MIN * response.getMaxValue()) {
            return;
        }
        String collected =
                own.collections() == 0
                        ? ""
                        : ", and garbage collection took %s"
                                .formatted(EvidenceFigures.millis(own.collectionNanos()));
        caveats.add(
                Doubt.GENERATOR_PAUSED.caveat(
                        EvidenceFigures.millis(longest),
                        collected,
                        EvidenceFigures.millis(response.getMaxValue())));
    }

    /// A waiting connection sends nothing, so a stall counts as one slow answer, however many
    /// requests would have come. Weighting by time makes the stall visible: the probability that a
    /// request at a random moment meets it is the share of the time above p99.
    private static void hiddenStalls(Histogram response, List<Caveat> caveats) {
        double p99 = response.getValueAtPercentile(99);
        double max = response.getMaxValue();
        double share = timeShareAbove(response, p99);
        if (share < HIDDEN_SHARE_MAX
                || max < Symptoms.TAIL_NANOS_MIN
                || max < Symptoms.TAIL_RATIO * p99) {
            return;
        }
        caveats.add(
                Doubt.STALLS_HIDDEN.caveat(
                        EvidenceFigures.percent(share),
                        EvidenceFigures.millis(p99),
                        EvidenceFigures.millis(max)));
    }

    /// A mean can grow without a wall: a few requests alone meet none of the slow answers that a
    /// service always has.
    private static void slowAlone(
            LoadOutcome.Requests load, Symptoms symptoms, List<Caveat> caveats) {
        long alone = Slowdown.requestsAlone(load);
        long slowest = (long) (Symptoms.BEND * load.unloadedNanos().getMaxValue());
        double slow = Symptoms.sumFrom(load.responseNanos(), slowest);
        boolean few = slow >= SLOW_TIME_SHARE * Symptoms.sumFrom(load.responseNanos(), 0);
        if (alone > 0 && few && symptoms.throughputBends() && !symptoms.surelyStopped()) {
            caveats.add(
                    Doubt.SLOW_ALONE_UNKNOWN.caveat(
                            EvidenceFigures.millis(symptoms.meanNanos()),
                            EvidenceFigures.millis(symptoms.unloadedNanos()),
                            alone));
        }
    }

    private static double timeShareAbove(Histogram response, double bound) {
        double above = 0;
        double all = 0;
        for (HistogramIterationValue value : response.recordedValues()) {
            double nanos = value.getValueIteratedTo();
            long count = value.getCountAddedInThisIterationStep();
            above += count * Math.max(0, nanos - bound);
            all += count * nanos;
        }
        return all > 0 ? above / all : 0;
    }
}
