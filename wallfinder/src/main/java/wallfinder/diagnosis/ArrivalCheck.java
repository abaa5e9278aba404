package wallfinder.diagnosis;

import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;

/// Compares the requests that were sent with the Poisson process that was asked for: the gaps
/// between the sends of a thread must have an exponential distribution.
///
/// @param gaps how many gaps were counted
/// @param distance the largest difference between the two cumulative distributions, from 0 to 1
///   (the statistic of Kolmogorov and Smirnov)
public record ArrivalCheck(long gaps, double distance) {
    /// A smaller difference changes no figure that matters, however sure it is.
    private static final double DISTANCE_MAX = 0.05;

    /// By chance the distance exceeds this, divided by the root of the number, in one case of a
    /// hundred.
    private static final double CHANCE = 1.63;

    private static final long GAPS_MIN = 100;

    /// If more requests wait for a connection, their sends follow the answers, not the clock.
    static final double WAITED_SHARE_MAX = 0.01;

    /// @return empty for another arrival, if too few requests were sent, or if requests waited
    public static Optional<ArrivalCheck> of(LoadOutcome load) {
        return load instanceof LoadOutcome.Requests requests
                        && requests.loop() instanceof LoadOutcome.Loop.Open open
                        && open.arrival() instanceof Arrival.Poisson poisson
                        && open.gapNanos().getTotalCount() >= GAPS_MIN
                        && open.waited() <= WAITED_SHARE_MAX * requests.sent()
                ? Optional.of(of(open, poisson.perSecond() / requests.generator().threads()))
                : Optional.empty();
    }

    private static ArrivalCheck of(LoadOutcome.Loop.Open open, double perSecond) {
        Histogram gaps = open.gapNanos();
        double count = gaps.getTotalCount();
        double distance = 0;
        double before = 0;
        for (HistogramIterationValue value : gaps.recordedValues()) {
            long from = gaps.lowestEquivalentValue(value.getValueIteratedTo());
            long to = gaps.nextNonEquivalentValue(value.getValueIteratedTo());
            double upTo = value.getTotalCountToThisValue() / count;
            distance = Math.max(distance, Math.abs(before - exponential(from, perSecond)));
            distance = Math.max(distance, Math.abs(upTo - exponential(to, perSecond)));
            before = upTo;
        }
        return new ArrivalCheck(gaps.getTotalCount(), distance);
    }

    private static double exponential(long nanos, double perSecond) {
        return -Math.expm1(-nanos / 1e9 * perSecond);
    }

    /// Whether the requests went as asked.
    public boolean asAsked() {
        return distance <= Math.max(DISTANCE_MAX, CHANCE / Math.sqrt(gaps));
    }

    Optional<Caveat> caveat() {
        return asAsked()
                ? Optional.empty()
                : Optional.of(Doubt.NOT_POISSON.caveat("%.0f %%".formatted(100 * distance), gaps));
    }
}
