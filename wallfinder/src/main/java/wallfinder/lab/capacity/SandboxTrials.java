package wallfinder.lab.capacity;

import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.TrialHosts;

/// Trials on services that the experiment starts.
///
/// @param label begins the names of the trials, so that they are unique in their run
record SandboxTrials(Experiment experiment, LoadSpec.Http http, TrialHosts hosts, String label)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        SandboxTestbed testbed =
                NotStarted.unless(
                        () -> hosts.open(experiment, label + name), hosts.context().interruption());
        return new WarmPlace(
                () -> hosts.generator(testbed, http),
                http,
                experiment.objective(),
                testbed::close,
                label);
    }

    @Override
    public boolean fresh() {
        return true;
    }
}
