package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Quantile;
import wallfinder.record.RunRecord;

/// The outcomes of the trials without and with a remedy, pair by pair.
record Arms(List<LoadOutcome> without, List<LoadOutcome> with) {
    /// Counts half a failed request if none failed, so that the share can be a divisor.
    private static final double HALF_A_FAILURE = 0.5;

    Arms() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    void add(LoadOutcome before, LoadOutcome after) {
        without.add(before);
        with.add(after);
    }

    int pairs() {
        return with.size();
    }

    RatioInterval throughput(double errorRate, RandomGenerator random) {
        return haveRates(without) && haveRates(with)
                ? ratio(Arms::dividedSpeed, errorRate, random)
                : unknown();
    }

    RatioInterval p99(double errorRate, RandomGenerator random) {
        return haveTimes(without) && haveTimes(with)
                ? ratio(
                        load -> Math.max(1, load.responseNanos().getValueAtPercentile(99)),
                        errorRate,
                        random)
                : unknown();
    }

    /// The share of failed requests.
    RatioInterval errors(double errorRate, RandomGenerator random) {
        return ratio(
                load -> (load.failed() + HALF_A_FAILURE) / (requests(load) + 1), errorRate, random);
    }

    /// What a remedy has to raise: good answers a second. If the clock decides when messages over
    /// held connections are due, their rate shows no wall; then it is the connections opened a
    /// second.
    static double speed(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held held when held.loop() instanceof LoadOutcome.Loop.Open -> {
                double opening = held.hold().openingSeconds();
                yield held.hold().fate(LoadOutcome.Hold.ALIVE)
                        / (Double.isNaN(opening) ? held.seconds() : opening);
            }
            case LoadOutcome.Held _,
                    LoadOutcome.Requests _,
                    LoadOutcome.Command _,
                    LoadOutcome.Unseen _ ->
                    load.throughput();
        };
    }

    static long requests(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held _ -> load.connections();
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    load.answered() + load.networkErrors();
        };
    }

    /// Counts a trial without an answer as one answer in its whole time, because the rate is a
    /// divisor. This can make the gain of a remedy too small, never too large.
    private static double dividedSpeed(LoadOutcome load) {
        return Math.max(speed(load), 1 / Math.max(load.seconds(), 1e-9));
    }

    private RatioInterval ratio(
            ToDoubleFunction<LoadOutcome> figure, double errorRate, RandomGenerator random) {
        return Bootstrap.ratio(
                without.stream().mapToDouble(figure).toArray(),
                with.stream().mapToDouble(figure).toArray(),
                errorRate,
                random);
    }

    private RatioInterval unknown() {
        return new RatioInterval(Double.NaN, Double.NaN, Double.NaN, pairs());
    }

    /// A load command that reports no requests has no rate to compare.
    private static boolean haveRates(List<LoadOutcome> outcomes) {
        return outcomes.stream().allMatch(LoadOutcome::countsRequests);
    }

    /// A load command reports no response times.
    private static boolean haveTimes(List<LoadOutcome> outcomes) {
        return outcomes.stream().allMatch(load -> load.responseNanos().getTotalCount() > 0);
    }

    static RunRecord.Side side(List<LoadOutcome> outcomes) {
        return new RunRecord.Side(
                median(outcomes, Arms::speed),
                median(outcomes, load -> load.responseNanos().getValueAtPercentile(99)),
                outcomes.stream().mapToLong(LoadOutcome::failed).sum(),
                outcomes.stream().mapToLong(Arms::requests).sum(),
                outcomes.stream().map(Arms::speed).toList());
    }

    private static double median(List<LoadOutcome> outcomes, ToDoubleFunction<LoadOutcome> figure) {
        return Quantile.median(outcomes.stream().mapToDouble(figure).toArray());
    }
}
