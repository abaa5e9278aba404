package wallfinder.lab.capacity;

import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Origin;

/// Trials on a running service, which stays the same.
///
/// @param server who watches it on its own host, or null
record UrlTrials(
        LoadSpec.Http http,
        Origin origin,
        Objective objective,
        @Nullable ServerSide server,
        RunContext context)
        implements CapacityTrials {
    @Override
    public Place open(String name) {
        return WarmPlace.of(
                new HostTestbed(http, origin, server, context), http, objective, context, "");
    }

    @Override
    public boolean fresh() {
        return false;
    }
}
