package wallfinder.lab.capacity;

import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTestbed;

/// Trials on services that the experiment starts.
record SandboxTrials(Experiment experiment, LoadSpec.Http http, RunContext context)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        SandboxTestbed testbed = SandboxTestbed.open(experiment, context, name);
        return new PlaceOfTestbed(testbed, http, experiment.objective(), context);
    }

    @Override
    public boolean fresh() {
        return true;
    }
}
