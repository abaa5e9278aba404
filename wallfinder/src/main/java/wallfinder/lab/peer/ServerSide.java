package wallfinder.lab.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.session.RunContext;
import wallfinder.observation.Caveat;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;

/// What somebody sees of the server on its own host during the measurements of a load. What was
/// seen in a measurement is complete only after it.
public interface ServerSide {
    /// The port of the watched service, if somebody named it; otherwise 0. Behind a proxy it is not
    /// the port that the load goes to.
    default int port() {
        return 0;
    }

    /// Begins to watch for the next measurement.
    ///
    /// @throws wallfinder.experiment.UsageException if the service is gone
    /// @throws wallfinder.linux.EnvironmentException if it cannot be watched any more
    void begin();

    /// Asks for the last readings without waiting for them, because the load ends now. Only the
    /// last readings are complete. Nobody can ask a watch that the user ends.
    default void requestEnd() {}

    /// What was seen since [#begin].
    ///
    /// @throws wallfinder.experiment.UsageException if there is nothing to join
    /// @throws wallfinder.linux.EnvironmentException if there is nothing to join
    Seen await(RunContext context);

    /// Whether it can watch again, for the requests that are sent one at a time.
    boolean watchesAgain();

    /// Begins to watch such requests, with many samples. Only for one that watches again.
    ///
    /// @throws wallfinder.experiment.UsageException if the service is gone
    /// @throws wallfinder.linux.EnvironmentException if it cannot be watched
    void beginAlone();

    /// What was seen since [#beginAlone].
    ///
    /// @throws wallfinder.experiment.UsageException if the service is gone
    /// @throws wallfinder.linux.EnvironmentException if the watch did not last until now
    Timeline endAlone();

    /// Called after each measurement of several: the next one would say nothing of the server.
    ///
    /// @throws wallfinder.linux.EnvironmentException if it cannot be watched any more
    void check();

    /// What the live view shows; null if it is seen only later.
    @Nullable Now now();

    /// Begins to profile the service.
    ///
    /// @throws IllegalStateException if it is seen only later
    Profiling profiling(Samples samples);

    /// @param host its name
    /// @param cpus how many the service may run on
    /// @param recent the newest values, as a timeline of one second
    record Now(String host, int cpus, Timeline recent) {}

    /// @param caveats what makes it less certain
    /// @param lost why the watch ended before the measurement did; null if it did not
    record Seen(Peer peer, Clocks clocks, List<Caveat> caveats, @Nullable String lost) {}

    /// How the clocks of the two hosts relate.
    sealed interface Clocks {
        /// Each kernel knows a bound of its own clock's error.
        record OfKernels() implements Clocks {}

        /// Both were compared by messages during the load.
        ///
        /// @param startNanos the zero of the peer's timeline by [System#nanoTime] of the load's
        ///   host
        /// @param boundNanos how far that may be wrong
        record Compared(long startNanos, long boundNanos) implements Clocks {}
    }
}
