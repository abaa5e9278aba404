package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import wallfinder.linux.OpenPort;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The connections of a service to other services, on a network that other programs share: those
/// figures of [PortsReader] that hold for one program. Only the service's own sockets count, by its
/// descriptors: another program may have connections to the same destination.
///
/// The ports in use towards the service's destinations are those of all programs, which share them.
/// A connection in TIME_WAIT belongs to no program, and counts here only.
///
/// The pace is that of [PortsReader]. All figures are `NaN` if a process of the service hides its
/// descriptors.
final class DependenciesReader implements Reader, Paced {
    private static final String SOURCE = PortsReader.SOCK_DIAG + ", /proc/PID/fd";

    private static final int KNOWN_MAX = 64;

    /// With more sockets in the range of ports, nothing is known.
    private static final int SOCKETS_MAX = 65_536;

    private final SockDiag diag;
    private final LocalPortRange range;
    private final OwnSockets own;
    private final PortsInUse ports = new PortsInUse();
    private final PortsInUse portsOfAll = new PortsInUse();
    private final Pace pace;
    private final PortColumns columns;

    private final Set<Long> open = new HashSet<>();

    /// Destinations that the service has had, the first of them if they are too many.
    private final Set<InetSocketAddress> known = new HashSet<>();

    private double used;

    /// @param diag opened in the namespace of this end; the caller closes it
    /// @param own this reader closes it
    /// @param ownPorts see [TcpDestinations]
    DependenciesReader(
            SockDiag diag, LocalPortRange range, End end, OwnSockets own, Set<Integer> ownPorts) {
        this(diag, range, end, own, ownPorts, System::nanoTime);
    }

    DependenciesReader(
            SockDiag diag,
            LocalPortRange range,
            End end,
            OwnSockets own,
            Set<Integer> ownPorts,
            LongSupplier clock) {
        this.diag = diag;
        this.range = range;
        this.own = own;
        pace = Pace.oftenIfCheap(clock);
        count();
        columns =
                new PortColumns(
                        end, SOURCE, range, ports, new TcpDestinations(ports, ownPorts), true);
    }

    @Override
    public List<Counter> counters() {
        return columns.counters();
    }

    @Override
    public List<Counter> found() {
        return columns.found();
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
        if (counted) {
            used = known ? used() : Double.NaN;
        }
        columns.write(used, known, values, from);
    }

    private int used() {
        return known.stream().mapToInt(portsOfAll::used).max().orElse(0);
    }

    private void count() {
        List<OpenPort> all = diag.openPorts(range.portMin(), range.portMax(), portsOfAll);
        open.clear();
        all.stream().map(OpenPort::inode).limit(SOCKETS_MAX).forEach(open::add);
        Set<Long> its = own.of(open);
        ports.count(all.stream().filter(one -> its.contains(one.inode())).toList());
        ports.destinations(KNOWN_MAX - known.size()).forEach(known::add);
    }

    @Override
    public void close() {
        own.close();
    }
}
