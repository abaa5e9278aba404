package wallfinder.sampling;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import wallfinder.linux.HostUnits;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The CPUs that an end may run on, used by any process: `cpus.busy`, `cpus.steal` and
/// `cpus.softirq` in seconds over all of them, and `cpus.count`. Busy time is user, nice, system
/// and interrupt time, without stolen time. The counters `cpus.softirqMost…` are about one CPU
/// ([MostSoftirq]).
final class CpusReader implements Reader {
    private static final byte[] PREFIX = KernelText.key("cpu");

    private final SampledFile stat;
    private final BitSet wanted;
    private final List<Counter> counters;
    private final MostSoftirq most;

    CpusReader(End end, BitSet cpus) {
        this(Path.of("/proc/stat"), end, cpus);
    }

    CpusReader(Path procStat, End end, BitSet cpus) {
        stat = new SampledFile(procStat);
        wanted = cpus;
        most = new MostSoftirq(cpus.length());
        counters =
                List.of(
                        EndFigure.CPUS_BUSY.at(end, "/proc/stat"),
                        EndFigure.CPUS_STEAL.at(end, "/proc/stat"),
                        EndFigure.CPUS_COUNT.at(end, "/proc/stat"),
                        EndFigure.CPUS_COUNTED.at(end, "/proc/stat"),
                        EndFigure.CPUS_SOFTIRQ.at(end, "/proc/stat"),
                        EndFigure.CPUS_SOFTIRQ_MOST.at(end, "/proc/stat"),
                        EndFigure.CPUS_SOFTIRQ_MOST_IDLE.at(end, "/proc/stat"),
                        EndFigure.CPUS_SOFTIRQ_MOST_COUNTED.at(end, "/proc/stat"),
                        EndFigure.CPUS_SOFTIRQ_MOST_CPU.at(end, "/proc/stat"));
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        double busyTicks = Double.NaN;
        double stealTicks = Double.NaN;
        double softirqTicks = Double.NaN;
        double countedTicks = Double.NaN;
        if (stat.read()) {
            KernelText text = stat.text();
            busyTicks = 0;
            stealTicks = 0;
            softirqTicks = 0;
            countedTicks = 0;
            text.nextLine(); // the first line is the sum over all CPUs
            for (; !text.atEnd() && text.skip(PREFIX); text.nextLine()) {
                int cpu = (int) text.number();
                if (cpu < 0 || !wanted.get(cpu)) {
                    continue;
                }
                double userNiceSystem = text.number() + text.number() + text.number();
                double idle = text.number() + text.number(); // idle, iowait
                double interrupts = text.number();
                double softirq = text.number();
                double steal = text.number();
                double busy = userNiceSystem + interrupts + softirq;
                busyTicks += busy;
                softirqTicks += softirq;
                stealTicks += steal;
                double counted = busy + idle + steal;
                countedTicks += counted;
                most.add(cpu, softirq, idle, counted);
            }
        }
        values[from] = busyTicks / HostUnits.TICKS_PER_SECOND;
        values[from + 1] = stealTicks / HostUnits.TICKS_PER_SECOND;
        values[from + 2] = wanted.cardinality();
        values[from + 3] = countedTicks / HostUnits.TICKS_PER_SECOND;
        values[from + 4] = softirqTicks / HostUnits.TICKS_PER_SECOND;
        most.next();
        values[from + 5] = most.softirqTicks() / HostUnits.TICKS_PER_SECOND;
        values[from + 6] = most.idleTicks() / HostUnits.TICKS_PER_SECOND;
        values[from + 7] = most.countedTicks() / HostUnits.TICKS_PER_SECOND;
        values[from + 8] = most.cpu();
    }

    @Override
    public void close() {
        stat.close();
    }
}
