package wallfinder.sampling;

import java.nio.file.Path;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The limits on the memory of all TCP sockets of the host, in pages (`net.ipv4.tcp_mem`): above
/// the second number the kernel is under memory pressure, at the third it allocates no more. The
/// memory in use is `sockstat.TCP.mem`. Other namespaces do not have the file, so this class reads
/// the file of the sampler's own namespace.
final class TcpMemoryReader implements Reader {
    private static final String SOURCE = "net.ipv4.tcp_mem (whole host)";

    private final List<Counter> counters;
    private final double pressurePages;
    private final double limitPages;

    TcpMemoryReader(End end) {
        this(end, Path.of("/proc/sys/net/ipv4/tcp_mem"));
    }

    TcpMemoryReader(End end, Path file) {
        counters =
                List.of(
                        EndFigure.TCP_MEMORY_PRESSURE.at(end, SOURCE),
                        EndFigure.TCP_MEMORY_LIMIT.at(end, SOURCE));
        double pressure = Double.NaN;
        double limit = Double.NaN;
        try (SampledFile open = new SampledFile(file)) {
            if (open.read()) {
                open.text().skipWord();
                pressure = open.text().number();
                limit = open.text().number();
            }
        }
        pressurePages = pressure;
        limitPages = limit;
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        values[from] = pressurePages;
        values[from + 1] = limitPages;
    }
}
