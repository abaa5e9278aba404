package wallfinder.lab.trial;

import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.record.RunRecord;

/// Other hosts that generate the loads of an experiment, whose services run on another host, too.
public interface GeneratorHosts {
    /// What generates the load of one trial.
    ///
    /// @param testbed with the services
    Generator of(Testbed testbed, LoadSpec.Http http, RunContext context);

    /// One trial of held connections.
    ///
    /// @param testbed with the services
    /// @param hold with an address in place of each placeholder
    RunRecord.Trial hold(
            Testbed testbed,
            LoadSpec.Hold hold,
            String name,
            HoldObjective objective,
            RunContext context);

    /// Called after a trial: the next one would have another load.
    ///
    /// @throws wallfinder.linux.EnvironmentException if a host is lost
    void check();
}
