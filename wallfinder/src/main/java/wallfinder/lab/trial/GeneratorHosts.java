package wallfinder.lab.trial;

import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;

/// Other hosts that generate the loads of an experiment, whose services run on another host, too.
public interface GeneratorHosts {
    /// What generates the load of one trial.
    ///
    /// @param testbed with the services
    Generator of(Testbed testbed, LoadSpec.Http http, RunContext context);
}
