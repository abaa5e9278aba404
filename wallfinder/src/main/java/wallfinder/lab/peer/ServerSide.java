package wallfinder.lab.peer;

import java.util.List;
import wallfinder.lab.session.RunContext;
import wallfinder.observation.Caveat;
import wallfinder.observation.Peer;

/// What somebody sees of the server on its own host during a load. It is complete only after the
/// load.
public interface ServerSide {
    /// @throws wallfinder.experiment.UsageException if there is nothing to join
    /// @throws wallfinder.linux.EnvironmentException if there is nothing to join
    Seen await(RunContext context);

    /// @param caveats what makes it less certain
    record Seen(Peer peer, Clocks clocks, List<Caveat> caveats) {}

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
