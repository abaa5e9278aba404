package wallfinder.observation;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Where the measurement ran.
///
/// @param isolation `namespaces`, `user-namespaces` or `host`
/// @param serverSysctls the settings in force in the server's namespace, by sysctl name
/// @param clientSysctls the same for the client
/// @param serverWatched false if nothing of the server could be seen but its answers
public record SandboxFacts(
        String isolation,
        SortedMap<String, String> serverSysctls,
        SortedMap<String, String> clientSysctls,
        int serverCpus,
        int clientCpus,
        boolean serverWatched,
        List<ServiceFacts> services) {

    /// A service as it ran.
    ///
    /// @param pid its process
    /// @param listens the ports it listens on
    /// @param settings its knobs and limits as they were, by name
    public record ServiceFacts(
            String name,
            long pid,
            List<Integer> listens,
            SortedMap<String, String> settings,
            @Nullable String jvm) {}
}
