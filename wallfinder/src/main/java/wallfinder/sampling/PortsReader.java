package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.Reader;

/// The local ports held towards some destinations: `ports[ADDRESS:PORT].used` and `.limit`. Without
/// destinations, those towards the one that most of them lead to: `ports[busiest].used`. Then also
/// `.connected`, the established connections to the destination that has the most of them, and
/// `.busy`, those of them that wait for what was asked over them.
///
/// Held means: in the range of the kernel, not listened on, in any state, TIME_WAIT included. Where
/// several of our addresses lead to one destination, the address that holds most is told, because a
/// port is taken only for its own address. Counting walks the kernel's table, so it is done at each
/// sample, or as seldom as every 5 seconds where it would take more than 0.05 % of a CPU; where it
/// takes 4 ms (some 5,000 sockets, whether they count here or not; 10,000 take 7 to 15 ms) as
/// seldom as every 30 seconds. In between the last count is repeated. The first sample and the last
/// are always counted.
final class PortsReader implements Reader, Paced {
    /// The name that stands for the destination when none is known beforehand.
    public static final String BUSIEST = "busiest";

    private static final String SOCK_DIAG = "sock_diag";

    /// What a walk over a table with many sockets takes, those that do not count included.
    static final long MANY_NANOS = 4_000_000;

    private final SockDiag diag;
    private final LocalPortRange range;
    private final List<InetSocketAddress> destinations;
    private final List<Counter> counters = new ArrayList<>();
    private final PortsInUse ports = new PortsInUse();
    private final Pace pace;
    private final double[] used;
    private double connected;
    private double busy;
    private volatile Optional<InetSocketAddress> busiest = Optional.empty();

    /// @param diag opened in the namespace of this end; closed by who opened it
    /// @param destinations resolved addresses; empty if they are not known
    PortsReader(
            SockDiag diag, LocalPortRange range, End end, List<InetSocketAddress> destinations) {
        this(diag, range, end, destinations, System::nanoTime);
    }

    PortsReader(
            SockDiag diag,
            LocalPortRange range,
            End end,
            List<InetSocketAddress> destinations,
            LongSupplier clock) {
        this.diag = diag;
        this.range = range;
        this.destinations = List.copyOf(destinations);
        pace = Pace.oftenIfCheap(clock, MANY_NANOS);
        destinations.forEach(destination -> addCounters(name(destination), end));
        if (destinations.isEmpty()) {
            addCounters(BUSIEST, end);
            counters.add(PortsFigure.CONNECTED.of(BUSIEST).at(end, SOCK_DIAG));
            counters.add(PortsFigure.BUSY.of(BUSIEST).at(end, SOCK_DIAG));
        }
        used = new double[Math.max(1, destinations.size())];
    }

    /// How a destination is called in the names of counters.
    public static String name(InetSocketAddress destination) {
        return destination.getAddress().getHostAddress() + ":" + destination.getPort();
    }

    /// Where most ports led when they were last counted.
    public Optional<InetSocketAddress> busiest() {
        return busiest;
    }

    private void addCounters(String destination, End end) {
        counters.add(PortsFigure.USED.of(destination).at(end, SOCK_DIAG));
        counters.add(PortsFigure.LIMIT.of(destination).at(end, "net.ipv4.ip_local_port_range"));
    }

    @Override
    public List<Counter> counters() {
        return Collections.unmodifiableList(counters);
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void read(double[] values, int from) {
        pace.run(this::count);
        for (int i = 0; i < used.length; i++) {
            values[from + 2 * i] = used[i];
            values[from + 2 * i + 1] = range.size();
        }
        if (destinations.isEmpty()) {
            values[from + 2] = connected;
            values[from + 3] = busy;
        }
    }

    private void count() {
        diag.portsInUse(range.portMin(), range.portMax(), ports);
        busiest = ports.busiest();
        if (destinations.isEmpty()) {
            used[0] = ports.busiestUsed();
            connected = ports.mostConnected();
            busy = ports.busyOfMostConnected();
        }
        for (int i = 0; i < destinations.size(); i++) {
            used[i] = ports.used(destinations.get(i));
        }
    }
}
