package wallfinder.lab.trial;

import wallfinder.experiment.Experiment;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.sandbox.TwoHosts;

/// Another host, on which the services of an experiment run.
public interface ServiceHost extends AutoCloseable {
    /// The addresses of both hosts; the client is here.
    TwoHosts hosts();

    /// Starts the services there, each when the one before is ready.
    ///
    /// @param name of the trial
    /// @param inspection how closely that host watches them
    /// @throws wallfinder.experiment.UsageException if that host does not understand the experiment
    /// @throws wallfinder.linux.EnvironmentException if it does not allow it, or a service does not
    ///   get ready
    Started start(Experiment experiment, String name, Inspection inspection, RunContext context);

    @Override
    void close();

    /// Services that are ready, or one that is watched from its start on, and is not.
    interface Started extends AutoCloseable {
        /// How long their start took.
        double seconds();

        /// The service that is watched from its start on, if the inspection named one.
        Life life();

        /// Who watches them.
        ServerSide side();

        /// Stops them.
        @Override
        void close();
    }
}
