package wallfinder.lab.capacity;

import java.time.Duration;
import wallfinder.record.RunRecord;

/// Where the trials of a capacity run, so that the search knows no sandbox.
interface CapacityTrials {
    /// Services for the next trials, warm: fresh ones if the experiment starts them.
    ///
    /// @throws wallfinder.lab.trial.NotStarted if they did not start
    Place open(String name);

    /// Whether [#open] starts the services anew.
    boolean fresh();

    /// The services of some trials.
    interface Place extends AutoCloseable {
        /// The mean time of an answer without load, in seconds.
        double aloneSeconds();

        /// Sends requests by a Poisson process, another one each time.
        RunRecord.Trial at(double perSecond, Duration duration, String name);

        /// Called after each trial.
        ///
        /// @throws wallfinder.linux.EnvironmentException if a further trial would not see the
        ///   services
        default void check() {}

        @Override
        void close();
    }
}
