package wallfinder.sampling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.SockDiag;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// An end of a load, by what can be read of it. Each kind of end puts its readers together here and
/// nowhere else. `WatchedEndTest` fails if a kind leaves out a reader without a reason.
public sealed interface WatchedEnd {
    /// A server that can be seen as a whole, in a sandbox or on a host.
    ///
    /// @param ports those that are listened on
    /// @param range the local ports, or null where the programs of other ends take them too
    record Server(
            Network network,
            SockDiag sockets,
            List<Integer> ports,
            @Nullable LocalPortRange range,
            List<WatchedProgram> programs)
            implements WatchedEnd {}

    /// A server on this host whose process this user may not look at.
    record HiddenServer(Network network, SockDiag sockets, List<Integer> ports)
            implements WatchedEnd {}

    /// Programs without their network: a service behind a unix socket, or one that is starting.
    record Programs(End end, BitSet cpus, List<WatchedProgram> programs) implements WatchedEnd {}

    /// Our own engine in a sandbox.
    record Engine(Network network) implements WatchedEnd {}

    /// Our own engine on the network of this host.
    record HostEngine(Network network) implements WatchedEnd {}

    /// A program that drives the load in a sandbox.
    record Command(Network network, SockDiag sockets, LocalPortRange range, WatchedProgram program)
            implements WatchedEnd {}

    /// The network of an end, and the CPUs that the end may run on.
    ///
    /// @param procNet `/proc/net` of its namespace
    record Network(End end, Path procNet, BitSet cpus) {}

    /// All that can be read, made anew for each measurement and closed by it.
    default List<Reader> readers() {
        return switch (this) {
            case Server(var network, var sockets, var ports, var range, var programs) ->
                    joined(
                            network(network),
                            listening(network.end(), sockets, ports),
                            range == null ? List.of() : held(network.end(), sockets, range),
                            programs(programs));
            case HiddenServer(
                            Network(End end, Path procNet, BitSet cpus),
                            var sockets,
                            var ports) ->
                    List.of(
                            new NetstatReader(procNet, end),
                            new SockstatReader(procNet, end),
                            new CpusReader(end, numbers(cpus)),
                            new ListenReader(sockets, end, numbers(ports)));
            case Programs(End end, BitSet cpus, var programs) ->
                    joined(List.of(new CpusReader(end, numbers(cpus))), programs(programs));
            case Engine(Network network) -> network(network);
            case HostEngine(Network(End end, Path procNet, BitSet cpus)) ->
                    List.of(
                            new NetstatReader(procNet, end),
                            new SockstatReader(procNet, end),
                            new CpusReader(end, numbers(cpus)));
            case Command(var network, var sockets, var range, var program) ->
                    joined(
                            network(network),
                            held(network.end(), sockets, range),
                            program.readers());
        };
    }

    private static List<Reader> network(Network network) {
        End end = network.end();
        Path procNet = network.procNet();
        int[] cpus = numbers(network.cpus());
        return List.of(
                new NetstatReader(procNet, end),
                new SockstatReader(procNet, end),
                new LookupReader(procNet, end),
                new ConntrackReader(procNet, end),
                new CpusReader(end, cpus),
                new SoftnetReader(end, cpus));
    }

    private static List<Reader> listening(End end, SockDiag sockets, List<Integer> ports) {
        return List.of(
                new ListenReader(sockets, end, numbers(ports)),
                new UnreadReader(sockets, end, numbers(ports)),
                new TcpMemoryReader(end));
    }

    private static List<Reader> held(End end, SockDiag sockets, LocalPortRange range) {
        return List.of(new PortsReader(sockets, range, end));
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

    private static int[] numbers(BitSet cpus) {
        return cpus.stream().toArray();
    }

    private static int[] numbers(List<Integer> ports) {
        return ports.stream().mapToInt(Integer::intValue).toArray();
    }
}
