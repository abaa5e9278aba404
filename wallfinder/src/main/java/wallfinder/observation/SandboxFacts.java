package wallfinder.observation;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;

/// Where the measurement ran.
///
/// @param isolation `namespaces`, `user-namespaces` or `host`
/// @param serverSysctls the settings in force in the server's namespace, by sysctl name
/// @param clientSysctls the same for the client
/// @param serverCpus how many CPUs the services may run on
/// @param clientCpus how many CPUs the generator may run on
/// @param sharedCpus true if these are the same CPUs
/// @param most what a service can be given here: a remedy asks for no more
/// @param serverWatched false if nothing of the server could be seen but its answers
public record SandboxFacts(
        String isolation,
        SortedMap<String, String> serverSysctls,
        SortedMap<String, String> clientSysctls,
        int serverCpus,
        int clientCpus,
        boolean sharedCpus,
        Limits most,
        boolean serverWatched,
        List<ServiceFacts> services,
        List<Caveat> caveats) {

    /// A service as it ran, or a load's command, which is called `load`.
    ///
    /// @param pid its process
    /// @param listens the ports it listens on
    /// @param settings its knobs and limits as they were, by name
    /// @param jvm the version of its JVM, or null
    /// @param runtime more of its JVM, or null where none was seen
    public record ServiceFacts(
            String name,
            long pid,
            List<Integer> listens,
            SortedMap<String, String> settings,
            @Nullable String jvm,
            @Nullable JvmFacts runtime) {}

    /// True if each end has counters of its own: then those of the namespace are the end's.
    public boolean ownCounters() {
        return !isolation.equals("host");
    }

    /// The value of a kernel setting on one end.
    public Optional<String> sysctl(String name, End end) {
        return Optional.ofNullable((end == End.SERVER ? serverSysctls : clientSysctls).get(name));
    }
}
