package wallfinder.sampling;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Names;
import wallfinder.observation.Reader;

/// Packets that the CPUs of an end dropped because their queue of packets to be received was full,
/// whomever they were for: `/proc/net/softnet_stat` has a line of numbers in base 16 for each CPU
/// of the host, and no namespace has its own.
public final class SoftnetReader implements Reader {
    private static final String SOURCE = "/proc/net/softnet_stat (whole host)";
    private static final int CPUS_MAX = 8_192;

    /// The number of the CPU, since Linux 5.10; before, the lines are in their order.
    private static final int CPU_COLUMN = 12;

    private static final int DROPPED_COLUMN = 1;

    private final KernelFile file;
    private final BitSet wanted = new BitSet();
    private final List<Counter> counters;
    private final double limit;

    /// @param cpus their numbers
    public SoftnetReader(End end, int[] cpus) {
        this(
                Path.of("/proc/net/softnet_stat"),
                Path.of("/proc/sys/net/core/netdev_max_backlog"),
                end,
                cpus);
    }

    SoftnetReader(Path stat, Path maxBacklog, End end, int[] cpus) {
        file = new KernelFile(stat);
        for (int cpu : cpus) {
            wanted.set(cpu);
        }
        counters =
                List.of(
                        new Counter(Names.softnet("dropped"), end, Counter.Kind.CUMULATIVE, SOURCE),
                        new Counter(
                                Names.softnet("limit"),
                                end,
                                Counter.Kind.GAUGE,
                                "net.core.netdev_max_backlog (whole host)"));
        try (KernelFile open = new KernelFile(maxBacklog)) {
            limit = open.read() ? open.text().number() : Double.NaN;
        }
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        values[from] = file.read() ? dropped(file.text()) : Double.NaN;
        values[from + 1] = limit;
    }

    private double dropped(KernelText text) {
        double sum = 0;
        for (int line = 0; !text.atEnd() && line < CPUS_MAX; text.nextLine(), line++) {
            double dropped = 0;
            int cpu = line;
            for (int column = 0; column <= CPU_COLUMN && !text.lineEnds(); column++) {
                double value = text.hex();
                dropped = column == DROPPED_COLUMN ? value : dropped;
                cpu = column == CPU_COLUMN ? (int) value : cpu;
            }
            sum += wanted.get(cpu) ? dropped : 0;
        }
        return sum;
    }

    @Override
    public void close() {
        file.close();
    }
}
