package wallfinder.sandbox;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.SandboxSpec;
import wallfinder.linux.Errno;
import wallfinder.linux.SyscallException;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;

/// The two ends and the network between them.
sealed interface Network extends AutoCloseable permits VethNetwork, HostNetwork {
    String isolation();

    List<Caveat> caveats();

    void enter(End end);

    <T extends @Nullable Object> T inside(End end, Callable<T> work);

    Path procNet(End end);

    long holderTid(End end);

    /// The `/proc` file of an end's namespace, or null if the end uses the host's.
    @Nullable Path namespaceFile(End end);

    String address(End end);

    List<InetAddress> sourceAddresses(int count);

    SortedMap<String, String> sysctls(End end);

    @Override
    void close();

    /// Two namespaces if they are permitted, else the host's loopback.
    ///
    /// @param hosts if the ends are on two hosts, else null
    static Network open(SandboxSpec spec, @Nullable TwoHosts hosts) {
        if (hosts != null) {
            spec.sysctls(hosts.here() == End.SERVER).keySet().forEach(HostNetwork::checkKnown);
            return new HostNetwork(spec, null, hosts);
        }
        spec.server().keySet().forEach(HostNetwork::checkKnown);
        spec.client().keySet().forEach(HostNetwork::checkKnown);
        List<NetworkNamespace> ends = new ArrayList<>();
        try {
            ends.add(new NetworkNamespace("server"));
            ends.add(new NetworkNamespace("client"));
        } catch (RuntimeException e) {
            ends.forEach(NetworkNamespace::close);
            return new HostNetwork(spec, notPermitted(e), null);
        }
        return VethNetwork.open(spec, ends.getFirst(), ends.getLast());
    }

    /// Why this host permits no two namespaces.
    ///
    /// @throws RuntimeException the given one, if it has another reason
    private static String notPermitted(RuntimeException e) {
        return switch (e instanceof SyscallException call ? call.errno() : Errno.UNKNOWN) {
            case EPERM, ENOSYS, EINVAL -> String.valueOf(e.getMessage());
            case ENOSPC -> "user.max_net_namespaces allows no more network namespaces";
            default -> throw e;
        };
    }
}
