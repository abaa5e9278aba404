package wallfinder.lab.trial;

import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Timeline;
import wallfinder.sampling.JvmCensus;

/// One service, watched from its start on. The start may be what needs the most memory.
public interface Life {
    /// Why the service did not get ready; null if all services are ready.
    @Nullable EnvironmentException notReady();

    /// Ends the watch.
    ///
    /// @throws EnvironmentException if nobody watches it any more
    Lived end();

    /// What was seen.
    ///
    /// @param census what the memory of its JVM contained, or null
    record Lived(Timeline timeline, @Nullable JvmCensus census) {}
}
