package wallfinder.observation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What was seen of a service at its own end, to be joined with a load that came from another host.
///
/// @param subject what was watched, in words: `nginx, process 4711`
/// @param host the name of the host it ran on
/// @param bootId the same for all who run on one kernel since its start, or null
/// @param startEpochNanos the first instant of the timeline by that host's clock, since 1970
/// @param clockErrorNanos how far that clock may have been from true time, as its kernel knows;
///   null if nobody keeps it
/// @param cpus the CPUs that the service may run on, by number
/// @param timeline of the server's end alone
public record Peer(
        String subject,
        String host,
        @Nullable String bootId,
        long startEpochNanos,
        @Nullable Long clockErrorNanos,
        List<Integer> cpus,
        Timeline timeline,
        SandboxFacts facts) {
    /// The last instant by that host's clock.
    public long endEpochNanos() {
        long[] nanos = timeline.nanos();
        return startEpochNanos + (nanos.length == 0 ? 0 : nanos[nanos.length - 1]);
    }
}
