package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import wallfinder.linux.HostUnits;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The CPUs an end may run on, whoever uses them: `cpus.busy` and `cpus.steal` in seconds over all
/// of them, and `cpus.count`. Busy is user, nice, system and interrupts; stolen time is not in it.
final class CpusReader implements Reader {
    private static final byte[] PREFIX = "cpu".getBytes(StandardCharsets.US_ASCII);

    private final SampledFile stat;
    private final BitSet wanted = new BitSet();
    private final List<Counter> counters;

    /// @param cpus their numbers
    CpusReader(End end, int[] cpus) {
        this(Path.of("/proc/stat"), end, cpus);
    }

    CpusReader(Path procStat, End end, int[] cpus) {
        stat = new SampledFile(procStat);
        for (int cpu : cpus) {
            wanted.set(cpu);
        }
        counters =
                List.of(
                        EndFigure.CPUS_BUSY.at(end, "/proc/stat"),
                        EndFigure.CPUS_STEAL.at(end, "/proc/stat"),
                        EndFigure.CPUS_COUNT.at(end, "/proc/stat"));
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        double busyTicks = Double.NaN;
        double stealTicks = Double.NaN;
        if (stat.read()) {
            KernelText text = stat.text();
            busyTicks = 0;
            stealTicks = 0;
            text.nextLine(); // the first is that of all CPUs together
            for (; !text.atEnd() && text.skip(PREFIX); text.nextLine()) {
                if (!wanted.get((int) text.number())) {
                    continue;
                }
                double userNiceSystem = text.number() + text.number() + text.number();
                text.skipWords(2); // idle, waiting for disks
                busyTicks += userNiceSystem + text.number() + text.number();
                stealTicks += text.number();
            }
        }
        values[from] = busyTicks / HostUnits.TICKS_PER_SECOND;
        values[from + 1] = stealTicks / HostUnits.TICKS_PER_SECOND;
        values[from + 2] = wanted.cardinality();
    }

    @Override
    public void close() {
        stat.close();
    }
}
