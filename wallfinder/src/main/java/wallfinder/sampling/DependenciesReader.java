package wallfinder.sampling;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import wallfinder.linux.OpenPort;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
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
    private final DependencyColumns dependencies;
    private final List<Counter> counters;

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
        dependencies = new DependencyColumns(end, SOURCE, new TcpDestinations(ports), true);
        counters =
                List.of(
                        PortsFigure.CONNECTED.of(PortsReader.BUSIEST).at(end, SOURCE),
                        PortsFigure.BUSY.of(PortsReader.BUSIEST).at(end, SOURCE));
    }

    @Override
    public List<Counter> counters() {
        return Stream.concat(counters.stream(), dependencies.counters().stream()).toList();
    }

    @Override
    public List<Counter> found() {
        return Stream.concat(counters.stream(), dependencies.found().stream()).toList();
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
        dependencies.write(known, values, from + counters.size());
    }

    private void count() {
        List<OpenPort> all = diag.openPorts(range.portMin(), range.portMax());
        open.clear();
        all.stream()
                .map(OpenPort::inode)
                .filter(inode -> inode != 0)
                .limit(SOCKETS_MAX)
                .forEach(open::add);
        Set<Long> its = own.of(open);
        ports.count(all.stream().filter(one -> its.contains(one.inode())).toList());
    }

    @Override
    public void close() {
        own.close();
    }
}
