package wallfinder.lab.find;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.ServerConcurrency;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Setting;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.capacity.Capacity;
import wallfinder.observation.End;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// Simulated capacities: what the services can serve depends on the value of a knob.
///
/// @param perSecond the true capacity for each value of the knob
/// @param noise the standard deviation of the logarithm of a capacity, in one trial
record SimulatedRates(Map<String, Double> perSecond, double noise, SplittableRandom random)
        implements RateTrials {
    private static final int PAIRS = 6;

    static Experiment experiment(Path folder) throws Exception {
        return SimulatedService.experiment(folder, "objective: p99 < 50ms\ngoal: capacity\n");
    }

    @Override
    public Capacity.Result search(Experiment experiment, String label) {
        double truth = capacity(experiment);
        // Two trials of each pair have their own noise.
        double deviation = noise / Math.sqrt(2.0 * PAIRS);
        double found = truth * Math.exp(deviation * random.nextGaussian());
        List<RunRecord.Trial> trials = new ArrayList<>();
        List<CapacityRecord.Pair> pairs =
                IntStream.range(0, PAIRS)
                        .mapToObj(i ->
                                new CapacityRecord.Pair(
                                        new CapacityRecord.Side(2 * i, found / 1.05, true),
                                        new CapacityRecord.Side(2 * i + 1, found * 1.05, false)))
                        .toList();
        for (CapacityRecord.Pair pair : pairs) {
            trials.add(trial(label + trials.size(), pair.below().perSecond(), true, false));
            trials.add(trial(label + trials.size(), pair.above().perSecond(), false, false));
        }
        trials.add(trial(label + trials.size(), 1.5 * found, false, true));
        return new Capacity.Result(
                trials,
                new CapacityRecord(
                        "p99 < 50ms",
                        found,
                        found * Math.exp(-2 * deviation),
                        found * Math.exp(2 * deviation),
                        pairs,
                        List.of(),
                        true,
                        trials.size() - 1,
                        null),
                Capacity.End.FOUND,
                "confirmed",
                null);
    }

    @Override
    public RunRecord.Trial at(Experiment experiment, double rate, String name) {
        double now = capacity(experiment) * Math.exp(noise * random.nextGaussian());
        return trial(name, rate, rate < now, false);
    }

    private double capacity(Experiment experiment) {
        return perSecond.get(experiment.value(new Setting.OfKnob("web", "size")));
    }

    private static RunRecord.Trial trial(String name, double rate, boolean held, boolean wall) {
        Judgement.Binds binds =
                new Judgement.Binds(
                        new ServerConcurrency(), End.SERVER, Harm.LATENCY, new ArrayList<>());
        Diagnosis diagnosis =
                wall
                        ? SimulatedTrials.diagnosis(Verdict.NAMED, binds, null)
                        : SimulatedTrials.none();
        return SimulatedTrials.trial(
                name, SimulatedTrials.load(64, rate, held ? 20 : 400, 0), diagnosis, held);
    }
}
