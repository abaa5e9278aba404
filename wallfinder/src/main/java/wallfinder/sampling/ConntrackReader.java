package wallfinder.sampling;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The conntrack table of a network namespace, from `/proc/net/stat/nf_conntrack`: a line of names,
/// then one line of hexadecimal numbers per CPU. Each line repeats the size of the table. The other
/// figures are counted per CPU.
final class ConntrackReader implements Reader {
    private static final String SOURCE = "/proc/net/stat/nf_conntrack";

    private static final int CPUS_MAX = 8_192;

    private final SampledFile file;
    private final List<Counter> counters;
    private final int drops;
    private final int earlyDrops;

    /// @param procNet as in [NetstatReader]
    ConntrackReader(Path procNet, End end) {
        file = new SampledFile(procNet.resolve("stat/nf_conntrack"));
        counters =
                List.of(
                        EndFigure.CONNTRACK_ENTRIES.at(end, SOURCE),
                        EndFigure.CONNTRACK_DROPS.at(end, SOURCE),
                        EndFigure.CONNTRACK_EARLY_DROPS.at(end, SOURCE));
        drops = column("drop");
        earlyDrops = column("early_drop");
    }

    private int column(String wanted) {
        if (!file.read()) {
            return -1;
        }
        for (int i = 0; !file.text().lineEnds(); i++) {
            if (file.text().word().equals(wanted)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        Arrays.fill(values, from, from + counters.size(), Double.NaN);
        if (drops < 0 || earlyDrops < 0 || !file.read()) {
            return;
        }
        Arrays.fill(values, from, from + counters.size(), 0);
        KernelText text = file.text();
        text.nextLine();
        for (int cpu = 0; !text.atEnd() && cpu < CPUS_MAX; text.nextLine(), cpu++) {
            for (int column = 0; !text.lineEnds(); column++) {
                double value = text.hex();
                if (Double.isNaN(value)) {
                    break;
                }
                add(column, value, values, from);
            }
        }
    }

    private void add(int column, double value, double[] values, int from) {
        if (column == 0) {
            values[from] = value;
        } else if (column == drops) {
            values[from + 1] += value;
        } else if (column == earlyDrops) {
            values[from + 2] += value;
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
