package wallfinder.sampling;

import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The local ports in use for the destination with the most ports in use: `ports[busiest].used` and
/// `.limit`. Also `.connected`, the established connections to the destination that has the most of
/// these, and `.busy`, the number of these connections that wait for an answer.
///
/// A port in use is in the kernel's range, has no listener, and may be in any state, including
/// TIME_WAIT. If several source addresses lead to one destination, the figures are those of the
/// address with the most ports in use, because each address has its own ports. Counting walks the
/// kernel's table (10,000 sockets of any kind take 7 to 15 ms of CPU time). It happens about three
/// times a second, or up to every 30 seconds if it would take more than 0.05 % of a CPU after the
/// first seconds. Other samples repeat the ports in use and have `NaN` for the connections, so that
/// each count of these weighs the same. The first and the last sample always count.
final class PortsReader implements Reader, Paced {
    static final String SOCK_DIAG = "sock_diag";

    private final SockDiag diag;
    private final LocalPortRange range;
    private final PortsInUse ports = new PortsInUse();
    private final Pace pace;
    private final PortColumns columns;
    private int used;

    /// @param diag opened in the namespace of this end; the caller closes it
    PortsReader(SockDiag diag, LocalPortRange range, End end) {
        this(diag, range, end, Set.of());
    }

    /// @param ownPorts see [TcpDestinations]
    PortsReader(SockDiag diag, LocalPortRange range, End end, Set<Integer> ownPorts) {
        this(diag, range, end, ownPorts, System::nanoTime);
    }

    PortsReader(
            SockDiag diag,
            LocalPortRange range,
            End end,
            Set<Integer> ownPorts,
            LongSupplier clock) {
        this.diag = diag;
        this.range = range;
        pace = Pace.oftenIfCheap(clock);
        count(); // in a JVM that has just started, the first walk takes 20 ms more than the others
        // The clients' destination is the service.
        columns =
                new PortColumns(
                        end,
                        SOCK_DIAG,
                        range,
                        ports,
                        new TcpDestinations(ports, ownPorts),
                        end == End.SERVER);
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
        columns.write(used, counted, values, from);
    }

    private void count() {
        diag.portsInUse(range.portMin(), range.portMax(), ports);
        used = ports.busiestUsed();
    }
}
