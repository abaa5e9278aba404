package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.SampleLoad;
import wallfinder.record.RunRecord.Trial;

/// A run of `capacity` for tests.
public final class SampleCapacity {
    private SampleCapacity() {}

    /// Two pairs of trials at a border, and a trial at the wall above.
    public static RunRecord run() {
        return run(401.5, 390, Double.POSITIVE_INFINITY);
    }

    public static RunRecord run(double capacityPerSecond, double low, double high) {
        List<Trial> trials = new ArrayList<>();
        for (double perSecond : List.of(380.0, 420.0, 425.0, 384.0, 800.0)) {
            Trial sample = SampleRun.queueFull("rate-" + perSecond);
            LoadOutcome load =
                    SampleLoad.open(
                            5,
                            Math.round(5 * perSecond),
                            sample.observation().load().times(),
                            new Loop.Open(
                                    new Arrival.Poisson(perSecond, 1),
                                    0,
                                    SampleRun.histogram(0.1, 2_000),
                                    SampleRun.histogram(2, 2_000)));
            trials.add(SampleRun.trial(sample.name(), load, sample.observation().timeline()));
        }
        CapacityRecord capacity =
                new CapacityRecord(
                        "p99 < 50ms",
                        capacityPerSecond,
                        low,
                        high,
                        List.of(
                                new CapacityRecord.Pair(
                                        new CapacityRecord.Side(0, 380, true),
                                        new CapacityRecord.Side(1, 420, false)),
                                new CapacityRecord.Pair(
                                        new CapacityRecord.Side(3, 384, true),
                                        new CapacityRecord.Side(2, 425, false))),
                        true,
                        4,
                        610.0);
        return SampleRun.run(trials, List.of(), "").with(capacity);
    }
}
