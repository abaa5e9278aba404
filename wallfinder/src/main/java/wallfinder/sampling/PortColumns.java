package wallfinder.sampling;

import java.util.List;
import java.util.stream.Stream;
import wallfinder.linux.PortsInUse;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;

/// The columns of local ports: the four figures of the busiest destination, and those of each
/// destination.
final class PortColumns {
    static final String BUSIEST = "busiest";

    /// Where the size of the range is read.
    private static final String RANGE = "net.ipv4.ip_local_port_range";

    private final LocalPortRange range;
    private final PortsInUse ports;
    private final DependencyColumns dependencies;
    private final List<Counter> counters;

    /// @param source where the connections are read
    /// @param ports counted at least once
    /// @param later whether destinations may be seen later
    PortColumns(
            End end,
            String source,
            LocalPortRange range,
            PortsInUse ports,
            TcpDestinations destinations,
            boolean later) {
        this.range = range;
        this.ports = ports;
        dependencies = new DependencyColumns(end, source, destinations, later);
        counters =
                List.of(
                        PortsFigure.USED.of(BUSIEST).at(end, source),
                        PortsFigure.LIMIT.of(BUSIEST).at(end, RANGE),
                        PortsFigure.CONNECTED.of(BUSIEST).at(end, source),
                        PortsFigure.BUSY.of(BUSIEST).at(end, source));
    }

    List<Counter> counters() {
        return Stream.concat(counters.stream(), dependencies.counters().stream()).toList();
    }

    List<Counter> found() {
        return Stream.concat(counters.stream(), dependencies.found().stream()).toList();
    }

    /// @param known false if the connections were not counted for this sample
    void write(double used, boolean known, double[] values, int from) {
        values[from] = used;
        values[from + 1] = range.size();
        values[from + 2] = known ? ports.mostConnected() : Double.NaN;
        values[from + 3] = known ? ports.busyOfMostConnected() : Double.NaN;
        dependencies.write(known, values, from + counters.size());
    }
}
