package wallfinder.lab.trial;

import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;

/// Where the trials of an experiment run.
///
/// @param services the host of the services, or null for a sandbox on this host
/// @param generators the hosts that generate the load, or null for this host
public record TrialHosts(
        RunContext context, @Nullable ServiceHost services, @Nullable GeneratorHosts generators) {
    public static TrialHosts here(RunContext context) {
        return new TrialHosts(context, null, null);
    }

    /// Starts fresh services, each when the one before is ready. The caller closes them.
    public SandboxTestbed open(Experiment experiment, String name) {
        return open(experiment, name, Inspection.USUAL);
    }

    /// Starts fresh services that are watched in a certain way.
    public SandboxTestbed open(Experiment experiment, String name, Inspection inspection) {
        return SandboxTestbed.open(experiment, context, name, inspection, services);
    }

    /// The same hosts, for another part of the run.
    public TrialHosts with(RunContext part) {
        return new TrialHosts(part, services, generators);
    }

    /// See [GeneratorHosts#check].
    public void check() {
        if (generators != null) {
            generators.check();
        }
    }

    /// What generates a load on services that run.
    public Generator generator(SandboxTestbed testbed, LoadSpec.Http http) {
        return generators == null
                ? new OwnGenerator(testbed, http, context)
                : generators.of(testbed, http, context);
    }
}
