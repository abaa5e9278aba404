package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.Reader;

/// The connections of a service to other services, on a network that other programs share: those
/// figures of [PortsReader] that hold for one program. Only the service's own sockets count, by its
/// descriptors: another program may have connections to the same destination. A connection in
/// TIME_WAIT belongs to no program, so it does not count.
///
/// The pace is that of [PortsReader]. All figures are `NaN` if a process of the service hides its
/// descriptors.
final class DependenciesReader implements Reader, Paced {
    private static final String SOURCE = PortsReader.SOCK_DIAG + ", /proc/PID/fd";

    /// With more sockets in the range of ports, nothing is known.
    private static final int SOCKETS_MAX = 65_536;

    private final SockDiag diag;
    private final LocalPortRange range;
    private final OwnSockets own;
    private final PortsInUse ports = new PortsInUse();
    private final Pace pace;
    private final List<InetSocketAddress> dependencies;
    private final List<Counter> counters;

    /// The sockets of which it is known whether they are the service's.
    private final Map<Long, Boolean> isOwn = new HashMap<>();

    private final Set<Long> open = new HashSet<>();

    /// @param diag opened in the namespace of this end; the caller closes it
    /// @param own this reader closes it
    DependenciesReader(SockDiag diag, LocalPortRange range, End end, OwnSockets own) {
        this(diag, range, end, own, System::nanoTime);
    }

    DependenciesReader(
            SockDiag diag, LocalPortRange range, End end, OwnSockets own, LongSupplier clock) {
        this.diag = diag;
        this.range = range;
        this.own = own;
        pace = Pace.oftenIfCheap(clock);
        count();
        dependencies = ports.destinations(PortsReader.DEPENDENCIES_MAX);
        counters =
                new ArrayList<>(
                        List.of(
                                PortsFigure.CONNECTED.of(PortsReader.BUSIEST).at(end, SOURCE),
                                PortsFigure.BUSY.of(PortsReader.BUSIEST).at(end, SOURCE)));
        for (InetSocketAddress dependency : dependencies) {
            String name = PortsReader.text(dependency);
            counters.add(DependencyFigure.CONNECTIONS.of(name).at(end, SOURCE));
            counters.add(DependencyFigure.BUSY.of(name).at(end, SOURCE));
        }
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void hurry() {
        pace.hurry();
    }

    @Override
    public void read(double[] values, int from) {
        boolean counted = pace.run(this::count);
        boolean known = counted && !own.hidden() && open.size() < SOCKETS_MAX;
        values[from] = known ? ports.mostConnected() : Double.NaN;
        values[from + 1] = known ? ports.busyOfMostConnected() : Double.NaN;
        for (int i = 0; i < dependencies.size(); i++) {
            InetSocketAddress dependency = dependencies.get(i);
            values[from + 2 + 2 * i] = known ? ports.connected(dependency) : Double.NaN;
            values[from + 3 + 2 * i] = known ? ports.busy(dependency) : Double.NaN;
        }
    }

    /// Looks through the descriptors only if there is a new socket, and then counts again.
    private void count() {
        open.clear();
        diag.portsInUse(range.portMin(), range.portMax(), ports, this::isKnownAsOwn);
        isOwn.keySet().retainAll(open);
        Set<Long> unknown = new HashSet<>(open);
        unknown.removeAll(isOwn.keySet());
        if (unknown.isEmpty()) {
            return;
        }
        Set<Long> its = own.among(unknown);
        unknown.forEach(socket -> isOwn.put(socket, its.contains(socket)));
        if (!its.isEmpty()) {
            diag.portsInUse(range.portMin(), range.portMax(), ports, this::isKnownAsOwn);
        }
    }

    private boolean isKnownAsOwn(long socket) {
        if (socket == 0) {
            return false;
        }
        if (open.size() < SOCKETS_MAX) {
            open.add(socket);
        }
        return isOwn.getOrDefault(socket, false);
    }

    @Override
    public void close() {
        own.close();
    }
}
