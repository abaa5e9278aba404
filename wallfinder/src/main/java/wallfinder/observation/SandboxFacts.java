package wallfinder.observation;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;

/// Where the trial ran.
///
/// @param isolation `namespaces`, `user-namespaces`, `server-namespace` or `host`
/// @param serverSysctls the settings in force in the server's namespace, by sysctl name
/// @param clientSysctls the same for the client
/// @param serverCpus how many CPUs the services may run on
/// @param clientCpus how many CPUs the generator may run on
/// @param sharedCpus whether these are the same CPUs
/// @param most the largest limits of this host; a remedy does not exceed them
/// @param serverWatched false if only the server's answers were seen
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

    /// Only the server has a network namespace of its own, as in a container.
    public static final String SERVER_APART = "server-namespace";

    private static final String HOST = "host";

    /// A service, or a load command, which is called `load`.
    ///
    /// @param listens the ports it listens on
    /// @param unixSockets the names of the unix sockets it listens on
    /// @param settings the values of its knobs and limits, by name
    /// @param jvm the version of its JVM, or null
    /// @param runtime more about its JVM, or null if none was seen
    public record ServiceFacts(
            String name,
            long pid,
            List<Integer> listens,
            List<String> unixSockets,
            SortedMap<String, String> settings,
            @Nullable String jvm,
            @Nullable JvmFacts runtime) {}

    /// The same ends, of which something else is known.
    public SandboxFacts with(
            boolean otherWatched, List<ServiceFacts> otherServices, List<Caveat> otherCaveats) {
        return new SandboxFacts(
                isolation,
                serverSysctls,
                clientSysctls,
                serverCpus,
                clientCpus,
                sharedCpus,
                most,
                otherWatched,
                otherServices,
                otherCaveats);
    }

    /// Whether each end has its own counters, those of its namespace.
    public boolean ownCounters() {
        return ownCounters(End.SERVER) && ownCounters(End.CLIENT);
    }

    /// Whether this end has its own counters, those of its namespace.
    public boolean ownCounters(End end) {
        return !isolation.equals(HOST) && (end == End.SERVER || !isolation.equals(SERVER_APART));
    }

    /// The value of a kernel setting on one end.
    public Optional<String> sysctl(String name, End end) {
        return Optional.ofNullable((end == End.SERVER ? serverSysctls : clientSysctls).get(name));
    }
}
