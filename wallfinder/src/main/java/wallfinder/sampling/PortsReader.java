package wallfinder.sampling;

import java.util.List;
import java.util.function.LongSupplier;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.Reader;

/// The local ports held towards the destination that most of them lead to: `ports[busiest].used`
/// and `.limit`. Also `.connected`, the established connections to the destination that has the
/// most of them, and `.busy`, those of them that wait for what was asked over them.
///
/// Held means: in the range of the kernel, not listened on, in any state, TIME_WAIT included. Where
/// several of our addresses lead to one destination, the address that holds most is told, because a
/// port is taken only for its own address. Counting walks the kernel's table, so it is done at each
/// sample, or as seldom as every 5 seconds where it would take more than 0.05 % of a CPU; where it
/// takes 4 ms (some 5,000 sockets, whether they count here or not; 10,000 take 7 to 15 ms) as
/// seldom as every 30 seconds. In between the last count is repeated. The first sample and the last
/// are always counted.
final class PortsReader implements Reader, Paced {
    /// The name of that destination.
    static final String BUSIEST = "busiest";

    private static final String SOCK_DIAG = "sock_diag";

    /// What a walk over a table with many sockets takes, those that do not count included.
    static final long MANY_NANOS = 4_000_000;

    private final SockDiag diag;
    private final LocalPortRange range;
    private final PortsInUse ports = new PortsInUse();
    private final Pace pace;
    private final List<Counter> counters;
    private int used;
    private int connected;
    private int busy;

    /// @param diag opened in the namespace of this end; closed by who opened it
    PortsReader(SockDiag diag, LocalPortRange range, End end) {
        this(diag, range, end, System::nanoTime);
    }

    PortsReader(SockDiag diag, LocalPortRange range, End end, LongSupplier clock) {
        this.diag = diag;
        this.range = range;
        pace = Pace.oftenIfCheap(clock, MANY_NANOS);
        counters =
                List.of(
                        PortsFigure.USED.of(BUSIEST).at(end, SOCK_DIAG),
                        PortsFigure.LIMIT.of(BUSIEST).at(end, "net.ipv4.ip_local_port_range"),
                        PortsFigure.CONNECTED.of(BUSIEST).at(end, SOCK_DIAG),
                        PortsFigure.BUSY.of(BUSIEST).at(end, SOCK_DIAG));
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
    public void read(double[] values, int from) {
        pace.run(this::count);
        values[from] = used;
        values[from + 1] = range.size();
        values[from + 2] = connected;
        values[from + 3] = busy;
    }

    private void count() {
        diag.portsInUse(range.portMin(), range.portMax(), ports);
        used = ports.busiestUsed();
        connected = ports.mostConnected();
        busy = ports.busyOfMostConnected();
    }
}
