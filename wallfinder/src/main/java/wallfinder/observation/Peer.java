package wallfinder.observation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `watch` saw on the server's host, to be joined with a load from another host.
///
/// @param subject what was watched, such as `nginx, process 4711`
/// @param host the name of that host
/// @param bootId identifies a running kernel since its boot, or null
/// @param startEpochNanos the first instant of the timeline by the host's clock, since 1970
/// @param clockErrorNanos the kernel's bound on its error; null if it is not synchronized
/// @param cpus numbers of the CPUs that the service may run on
/// @param timeline of the server's end only
public record Peer(
        String subject,
        String host,
        @Nullable String bootId,
        long startEpochNanos,
        @Nullable Long clockErrorNanos,
        List<Integer> cpus,
        Timeline timeline,
        SandboxFacts facts) {}
