package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Experiment;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Interruption;
import wallfinder.record.RunRecord;

/// The generator is the limit in each trial that misses the objective.
class InvalidPairsTest {
    @TempDir Path folder;

    /// Searches are not affected.
    private record Limited(SimulatedRates rates) implements RateTrials {
        @Override
        public Capacity.Result search(Experiment experiment, String label) {
            return rates.search(experiment, label);
        }

        @Override
        public RunRecord.Trial at(Experiment experiment, double perSecond, String name) {
            RunRecord.Trial trial = rates.at(experiment, perSecond, name);
            return Boolean.TRUE.equals(trial.objectiveMet())
                    ? trial
                    : SimulatedTrials.trial(
                            name, trial.observation().load(), SimulatedTrials.invalid(), false);
        }
    }

    @Test
    void a_miss_of_the_generator_without_a_remedy_proves_nothing_for_it() throws Exception {
        SimulatedRates doubling =
                new SimulatedRates(Map.of("8", 400.0, "16", 800.0), 0.01, new SplittableRandom(3));
        CapacityLadder.Result result =
                new CapacityLadder(new Limited(doubling), new Interruption(), line -> {})
                        .run(SimulatedRates.experiment(folder));
        RunRecord.Rung rung = result.ladder().getFirst();
        assertThat(result.found().ended()).isEqualTo(CapacityPairs.LIMITED);
        assertThat(rung.remedy()).isNull();
        assertThat(rung.without().getFirst().raised().pairs()).isZero();
    }
}
