package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.SampleLoad;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Side;
import wallfinder.record.RunRecord.Trial;

/// A run of `capacity` for tests.
public final class SampleCapacity {
    private SampleCapacity() {}

    /// Two pairs of trials at a border, and a trial at the wall above.
    public static RunRecord run() {
        return run(401.5, 390, Double.POSITIVE_INFINITY);
    }

    public static RunRecord run(double capacityPerSecond, double low, double high) {
        return SampleRun.run(trials("rate-"), List.of(), "")
                .with(capacity(capacityPerSecond, low, high));
    }

    /// The same for an objective with a bound of the capacity.
    public static RunRecord asking(
            double capacityPerSecond, double low, double high, String bound) {
        CapacityRecord found = capacity(capacityPerSecond, low, high);
        return run().with(
                        new CapacityRecord(
                                found.objective() + ", " + bound,
                                capacityPerSecond,
                                low,
                                high,
                                found.pairs(),
                                List.of(),
                                true,
                                found.wall(),
                                found.predicted()));
    }

    /// The generator was the limit.
    public static CapacityRecord atLeast(double perSecond) {
        return new CapacityRecord(
                "p99 < 50ms",
                perSecond,
                perSecond,
                Double.POSITIVE_INFINITY,
                List.of(),
                List.of(),
                true,
                null,
                null);
    }

    private static List<Trial> trials(String label) {
        List<Trial> trials = new ArrayList<>();
        for (double perSecond : List.of(380.0, 420.0, 425.0, 384.0, 800.0)) {
            Trial sample = SampleRun.queueFull(label + perSecond);
            LoadOutcome load =
                    SampleLoad.open(
                            5,
                            Math.round(5 * perSecond),
                            sample.observation().load().times(),
                            new Loop.Open(
                                    new Arrival.Poisson(perSecond, 1L),
                                    0,
                                    SampleRun.histogram(0.1, 2_000),
                                    SampleRun.histogram(2, 2_000)));
            trials.add(SampleRun.trial(sample.name(), load, sample.observation().timeline()));
        }
        return trials;
    }

    /// `find` with `goal: capacity`: a remedy raises the capacity, and another does not.
    public static RunRecord ladder() {
        List<Trial> trials = new ArrayList<>();
        trials("before-").forEach(trial -> trials.add(trial.as(RunRecord.Role.CLIMB)));
        trials("after-").forEach(trial -> trials.add(trial.as(RunRecord.Role.CLIMB)));
        CapacityRecord first = capacity(401.5, 390, 410);
        CapacityRecord second = capacity(803, 780, 820).after(5);
        Rung rung = raised(first, second);
        Rung last =
                new Rung(
                        9,
                        null,
                        List.of(),
                        List.of(),
                        SampleRun.last(9).advice(),
                        null,
                        null,
                        second,
                        List.of());
        return SampleRun.run(trials, List.of(rung, last), "nothing moves it").with(second);
    }

    private static Rung raised(CapacityRecord before, CapacityRecord after) {
        Rung sample = SampleRun.first(before.lastTrial());
        Applied kept = sample.remedy();
        Applied without = sample.without().getFirst();
        return new Rung(
                sample.trial(),
                new Applied(
                        kept.remedy(),
                        new RatioInterval(2, 1.9, 2.1, 6),
                        kept.p99(),
                        new Side(before.ratePerSecond(), 92e6, 410, 10_000, List.of()),
                        new Side(after.ratePerSecond(), 6.2e6, 0, 10_000, List.of()),
                        true,
                        new RunRecord.Raised(567.8, 3, 3, 3)),
                List.of(
                        new Applied(
                                without.remedy(),
                                new RatioInterval(1.01, 0.95, 1.06, 6),
                                new RatioInterval(Double.NaN, Double.NaN, Double.NaN, 0),
                                new Side(before.ratePerSecond(), Double.NaN, 0, 0, List.of()),
                                new Side(405.5, Double.NaN, 0, 0, List.of()),
                                false,
                                new RunRecord.Raised(403.5, 0, 0, 0))),
                List.of(),
                List.of(),
                null,
                null,
                before,
                List.of());
    }

    private static CapacityRecord capacity(double perSecond, double low, double high) {
        return new CapacityRecord(
                "p99 < 50ms",
                perSecond,
                low,
                high,
                List.of(
                        new CapacityRecord.Pair(
                                new CapacityRecord.Side(0, 380, true),
                                new CapacityRecord.Side(1, 420, false)),
                        new CapacityRecord.Pair(
                                new CapacityRecord.Side(3, 384, true),
                                new CapacityRecord.Side(2, 425, false))),
                List.of(),
                true,
                4,
                610.0);
    }
}
