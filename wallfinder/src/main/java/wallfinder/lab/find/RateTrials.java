package wallfinder.lab.find;

import wallfinder.experiment.Experiment;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.record.RunRecord;

/// Measures capacities, so that the ladder of capacities knows no sandbox.
interface RateTrials {
    /// @param label begins the names of the trials
    Capacity.Result search(Experiment experiment, String label);

    /// One trial at a rate, with fresh services.
    RunRecord.Trial at(Experiment experiment, double perSecond, String name);

    /// On real services.
    record Real(Objective objective, TrialHosts hosts) implements RateTrials {
        @Override
        public Capacity.Result search(Experiment experiment, String label) {
            return Capacity.of(experiment, objective, hosts, label).run();
        }

        @Override
        public RunRecord.Trial at(Experiment experiment, double perSecond, String name) {
            return Capacity.trial(experiment, objective, hosts, perSecond, name);
        }
    }
}
