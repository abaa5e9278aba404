package wallfinder.lab.capacity;

import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Origin;

/// Trials on a running service, which stays the same.
record UrlTrials(LoadSpec.Http http, Origin origin, Objective objective, RunContext context)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        return new PlaceOfTestbed(
                new HostTestbed(http, origin, context), http, objective, context, "");
    }

    @Override
    public boolean fresh() {
        return false;
    }
}
