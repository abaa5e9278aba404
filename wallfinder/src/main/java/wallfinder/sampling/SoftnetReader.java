package wallfinder.sampling;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The packets that an end's CPUs received, and those that they dropped because their receive queue
/// (backlog) was full, for any receiver; the length of the longest of these queues; and how often a
/// CPU stopped with packets left. `/proc/net/softnet_stat` has a line of hexadecimal numbers per
/// CPU of the host. It is the same in all namespaces.
final class SoftnetReader implements Reader {
    private static final String SOURCE = "/proc/net/softnet_stat (whole host)";
    private static final int CPUS_MAX = 8_192;

    private static final int PROCESSED_COLUMN = 0;
    private static final int DROPPED_COLUMN = 1;
    private static final int SQUEEZED_COLUMN = 2;

    /// The length of the queue and the number of the CPU, both since Linux 5.10. In older kernels
    /// the lines are in the order of the CPUs.
    private static final int QUEUE_COLUMN = 11;

    private static final int CPU_COLUMN = 12;

    private final SampledFile file;
    private final BitSet wanted;
    private final List<Counter> counters;
    private final double limit;

    SoftnetReader(End end, BitSet cpus) {
        this(
                Path.of("/proc/net/softnet_stat"),
                Path.of("/proc/sys/net/core/netdev_max_backlog"),
                end,
                cpus);
    }

    SoftnetReader(Path stat, Path maxBacklog, End end, BitSet cpus) {
        file = new SampledFile(stat);
        wanted = cpus;
        counters =
                List.of(
                        EndFigure.SOFTNET_DROPPED.at(end, SOURCE),
                        EndFigure.SOFTNET_LIMIT.at(end, "net.core.netdev_max_backlog (whole host)"),
                        EndFigure.SOFTNET_QUEUE.at(end, SOURCE),
                        EndFigure.SOFTNET_PROCESSED.at(end, SOURCE),
                        EndFigure.SOFTNET_SQUEEZED.at(end, SOURCE));
        limit = SampledFile.numberIn(maxBacklog);
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        values[from] = Double.NaN;
        values[from + 1] = limit;
        values[from + 2] = Double.NaN;
        values[from + 3] = Double.NaN;
        values[from + 4] = Double.NaN;
        if (file.read()) {
            read(file.text(), values, from);
        }
    }

    private void read(KernelText text, double[] values, int from) {
        values[from] = 0;
        values[from + 3] = 0;
        values[from + 4] = 0;
        for (int line = 0; !text.atEnd() && line < CPUS_MAX; text.nextLine(), line++) {
            double processed = 0;
            double dropped = 0;
            double squeezed = 0;
            double queue = Double.NaN;
            int cpu = line;
            for (int column = 0; column <= CPU_COLUMN && !text.lineEnds(); column++) {
                double value = text.hex();
                switch (column) {
                    case PROCESSED_COLUMN -> processed = value;
                    case DROPPED_COLUMN -> dropped = value;
                    case SQUEEZED_COLUMN -> squeezed = value;
                    case QUEUE_COLUMN -> queue = value;
                    case CPU_COLUMN -> cpu = (int) value;
                    default -> {}
                }
            }
            if (cpu >= 0 && wanted.get(cpu)) {
                values[from] += dropped;
                values[from + 3] += processed;
                values[from + 4] += squeezed;
                double longest = values[from + 2];
                values[from + 2] = Double.isNaN(longest) ? queue : Math.max(longest, queue);
            }
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
