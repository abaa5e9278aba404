package wallfinder.lab.capacity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.HdrHistogram.Histogram;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Arrival;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.Thinned;
import wallfinder.record.RunRecord;

/// A simulated queue instead of services. A wall binds from a given rate on.
final class SimulatedPlace implements CapacityTrials, CapacityTrials.Place {
    private final Queue queue;
    private final SplittableRandom random;
    private final DoubleUnaryOperator delaySeconds;
    private final double wallPerSecond;
    private final boolean fresh;
    private int trials;
    final List<String> opened = new ArrayList<>();

    /// The numbers of the trials in which other programs take the generator's CPU.
    final Set<Integer> starved = new HashSet<>();

    /// The numbers of the trials in which the generator is the limit.
    final Set<Integer> invalid = new HashSet<>();

    int closed;

    /// @param delaySeconds added to the answers of the n-th trial
    SimulatedPlace(
            Queue queue,
            long seed,
            DoubleUnaryOperator delaySeconds,
            double wallPerSecond,
            boolean fresh) {
        this.queue = queue;
        this.random = new SplittableRandom(seed);
        this.delaySeconds = delaySeconds;
        this.wallPerSecond = wallPerSecond;
        this.fresh = fresh;
    }

    @Override
    public Place open(String name) {
        opened.add(name);
        return this;
    }

    @Override
    public boolean fresh() {
        return fresh;
    }

    @Override
    public double aloneSeconds() {
        return queue.serviceSeconds();
    }

    @Override
    public RunRecord.Trial at(double perSecond, Duration duration, String name) {
        double seconds = duration.toNanos() / 1e9;
        double delay = delaySeconds.applyAsDouble(++trials);
        Histogram times = new Histogram(3);
        long[] responses =
                Arrays.stream(queue.responses(perSecond, seconds, random))
                        .mapToLong(response -> Math.round((response + delay) * 1e9))
                        .toArray();
        Arrays.stream(responses).forEach(times::recordValue);
        LoadOutcome load =
                SampleLoad.open(
                        seconds,
                        responses.length,
                        new LoadOutcome.Times(
                                times, times, new Histogram(3), new Thinned(1, responses)),
                        new LoadOutcome.Loop.Open(
                                new Arrival.Poisson(perSecond, 1L),
                                0,
                                new Histogram(3),
                                new Histogram(3)),
                        starved.contains(trials) ? SampleLoad.STARVED : SampleLoad.IDLE);
        Diagnosis diagnosis =
                invalid.contains(trials)
                        ? SimulatedTrials.invalid()
                        : perSecond < wallPerSecond
                                ? SimulatedTrials.none()
                                : SimulatedTrials.named(Harm.LATENCY);
        return SimulatedTrials.trial(name, load, diagnosis, null);
    }

    @Override
    public void close() {
        closed++;
    }
}
