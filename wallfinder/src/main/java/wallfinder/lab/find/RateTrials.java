package wallfinder.lab.find;

import wallfinder.experiment.Experiment;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.record.RunRecord;

/// Measures capacities, so that the ladder of capacities knows no sandbox.
interface RateTrials {
    /// @param label begins the names of the trials
    /// @return a result whose failure may be a [wallfinder.lab.trial.NotStarted]
    /// @throws wallfinder.lab.trial.NotStarted if the services did not start for the first trial
    Capacity.Result search(Experiment experiment, String label);

    /// One trial at a rate, with fresh services.
    ///
    /// @throws wallfinder.lab.trial.NotStarted if they did not start
    RunRecord.Trial at(Experiment experiment, double perSecond, String name);

    /// On real services.
    record Real(Objective objective, TrialHosts hosts) implements RateTrials {
        @Override
        public Capacity.Result search(Experiment experiment, String label) {
            return Capacity.of(experiment, objective, hosts, label).search();
        }

        @Override
        public RunRecord.Trial at(Experiment experiment, double perSecond, String name) {
            return Capacity.trial(experiment, objective, hosts, perSecond, name);
        }
    }
}
