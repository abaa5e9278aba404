package wallfinder.sampling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import wallfinder.linux.SockDiag;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// An end of a load, by what can be read of it. Only this class assembles the readers of each kind
/// of end. `WatchedEndTest` fails if a kind leaves out a reader without a reason.
public sealed interface WatchedEnd {
    /// A server with all its parts visible, in a sandbox or on a host.
    ///
    /// @param places the ports with listeners
    /// @param shared whether programs of other ends use the network, too
    record Server(
            Network network,
            SockDiag sockets,
            Listeners.Places places,
            LocalPortRange range,
            boolean shared,
            List<WatchedProgram> programs)
            implements WatchedEnd {}

    /// A server on this host whose process is hidden from this user: what everybody may read.
    record HiddenServer(Network network, SockDiag sockets, Listeners.Places places)
            implements WatchedEnd {}

    /// Programs without a network: a service behind a unix socket, or a service that is starting.
    record Programs(End end, BitSet cpus, List<WatchedProgram> programs) implements WatchedEnd {}

    /// Wallfinder's engine in a sandbox.
    record Engine(Network network) implements WatchedEnd {}

    /// Wallfinder's engine on the network of this host.
    record HostEngine(Network network) implements WatchedEnd {}

    /// A program that drives the load in a sandbox.
    record Command(Network network, SockDiag sockets, LocalPortRange range, WatchedProgram program)
            implements WatchedEnd {}

    /// The network of an end, with `/proc/net` of its namespace, and the CPUs that it may use.
    record Network(End end, Path procNet, BitSet cpus) {}

    /// New readers for one measurement. The caller closes them.
    default List<Reader> readers() {
        return switch (this) {
            case Server(
                            var network,
                            var sockets,
                            var places,
                            var range,
                            boolean shared,
                            var programs) ->
                    joined(
                            network(
                                    network,
                                    shared ? ownLookups(network, programs) : allLookups(network)),
                            listening(network.end(), sockets, places),
                            List.of(
                                    new TcpMemoryReader(network.end()),
                                    new HostFilesReader(network.end()),
                                    shared
                                            ? new DependenciesReader(
                                                    sockets,
                                                    range,
                                                    network.end(),
                                                    own(programs),
                                                    ownPorts(places, programs))
                                            : new PortsReader(
                                                    sockets,
                                                    range,
                                                    network.end(),
                                                    ownPorts(places, programs)),
                                    new UnixDependenciesReader(
                                            sockets,
                                            network.end(),
                                            own(programs),
                                            ownNames(sockets, programs))),
                            programs(programs));
            case HiddenServer(var network, var sockets, var places) ->
                    joined(
                            hostNetwork(network),
                            listening(network.end(), sockets, places),
                            List.of(
                                    allLookups(network),
                                    new ConntrackReader(network.procNet(), network.end()),
                                    new HostFilesReader(network.end()),
                                    new HiddenDescriptorsReader(network.end())));
            case Programs(End end, BitSet cpus, var programs) ->
                    joined(
                            List.of(new CpusReader(end, cpus), new HostFilesReader(end)),
                            programs(programs));
            case Engine(Network network) -> network(network, allLookups(network));
            case HostEngine(Network network) -> hostNetwork(network);
            case Command(var network, var sockets, var range, var program) ->
                    joined(
                            network(network, allLookups(network)),
                            List.of(new PortsReader(sockets, range, network.end())),
                            program.readers());
        };
    }

    /// The readers of a network that other programs of the host share.
    private static List<Reader> hostNetwork(Network network) {
        return List.of(
                new NetstatReader(network.procNet(), network.end()),
                new SockstatReader(network.procNet(), network.end()),
                new LinkReader(network.procNet(), network.end()),
                new CpusReader(network.end(), network.cpus()));
    }

    private static LookupReader allLookups(Network network) {
        return new LookupReader(network.procNet(), network.end());
    }

    private static LookupReader ownLookups(Network network, List<WatchedProgram> programs) {
        return new LookupReader(network.procNet(), network.end(), own(programs));
    }

    private static OwnSockets own(List<WatchedProgram> programs) {
        return new OwnSockets(() -> roots(programs));
    }

    private static long[] roots(List<WatchedProgram> programs) {
        return programs.stream().flatMapToLong(program -> Arrays.stream(program.roots())).toArray();
    }

    /// Of several services, one may ask another.
    private static Set<Integer> ownPorts(Listeners.Places places, List<WatchedProgram> programs) {
        return programs.size() == 1 ? Set.copyOf(places.ports()) : Set.of();
    }

    private static Set<String> ownNames(SockDiag sockets, List<WatchedProgram> programs) {
        return programs.size() == 1
                ? Set.copyOf(Listeners.unixSocketsOf(sockets, roots(programs)))
                : Set.of();
    }

    private static List<Reader> network(Network network, LookupReader lookups) {
        End end = network.end();
        Path procNet = network.procNet();
        return List.of(
                new NetstatReader(procNet, end),
                new SockstatReader(procNet, end),
                new LinkReader(procNet, end),
                lookups,
                new ConntrackReader(procNet, end),
                new CpusReader(end, network.cpus()),
                new SoftnetReader(end, network.cpus()));
    }

    private static List<Reader> listening(End end, SockDiag sockets, Listeners.Places places) {
        return List.of(
                new ListenReader(sockets, end, places),
                new ConnectionsReader(sockets, end, places));
    }

    private static List<Reader> programs(List<WatchedProgram> programs) {
        return programs.stream().flatMap(program -> program.readers().stream()).toList();
    }

    @SafeVarargs
    private static List<Reader> joined(List<Reader>... parts) {
        List<Reader> all = new ArrayList<>();
        for (List<Reader> part : parts) {
            all.addAll(part);
        }
        return all;
    }
}
