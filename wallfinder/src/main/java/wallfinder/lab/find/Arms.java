package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// What was measured without and with a remedy, pair by pair.
record Arms(List<LoadOutcome> without, List<LoadOutcome> with) {
    /// Where no request failed, half a one may have: a share that can be divided by.
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

    /// The share of the requests that failed.
    RatioInterval errors(double errorRate, RandomGenerator random) {
        return ratio(
                load -> (failed(load) + HALF_A_FAILURE) / (requests(load) + 1), errorRate, random);
    }

    RunRecord.Side sideWithout() {
        return side(without);
    }

    RunRecord.Side sideWith() {
        return side(with);
    }

    /// What a remedy has to make more: good answers a second. Messages over held connections may
    /// come due by the clock, whatever stops them: then it is how fast the connections were there.
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

    /// Requests without a good answer.
    static long failed(LoadOutcome load) {
        return load.failed();
    }

    static long requests(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Held _ -> load.connections();
            case LoadOutcome.Requests _, LoadOutcome.Command _, LoadOutcome.Unseen _ ->
                    load.answered() + load.networkErrors();
        };
    }

    /// A trial without an answer has no rate to divide by: one answer in all of its time stands for
    /// it. It had less, so that the remedy gains too little that way, never too much.
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

    /// A command that does not report what it did has no rate to be compared.
    private static boolean haveRates(List<LoadOutcome> outcomes) {
        return outcomes.stream().allMatch(LoadOutcome::countsRequests);
    }

    /// Nor does a command report how long an answer took.
    private static boolean haveTimes(List<LoadOutcome> outcomes) {
        return outcomes.stream().allMatch(load -> load.responseNanos().getTotalCount() > 0);
    }

    private static RunRecord.Side side(List<LoadOutcome> outcomes) {
        double[] sorted = outcomes.stream().mapToDouble(Arms::speed).sorted().toArray();
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new RunRecord.Side(
                median,
                outcomes.stream().mapToLong(Arms::failed).sum(),
                outcomes.stream().mapToLong(Arms::requests).sum());
    }
}
