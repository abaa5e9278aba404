package wallfinder.lab.capacity;

import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTestbed;

/// Trials on services that the experiment starts.
///
/// @param label begins the names of the trials, so that they are unique in their run
record SandboxTrials(Experiment experiment, LoadSpec.Http http, RunContext context, String label)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        SandboxTestbed testbed = SandboxTestbed.open(experiment, context, label + name);
        return WarmPlace.of(testbed, http, experiment.objective(), context, label);
    }

    @Override
    public boolean fresh() {
        return true;
    }
}
