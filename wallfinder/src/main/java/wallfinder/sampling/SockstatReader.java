package wallfinder.sampling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Reader;

/// All figures of `/proc/net/sockstat` and `sockstat6`, such as `sockstat.TCP.tw`. Memory is in
/// pages. The kernel counts some only for the whole host; their source says so.
final class SockstatReader implements Reader {
    private static final Set<KernelCounter> WHOLE_HOST =
            Set.of(
                    KernelCounter.TCP_ORPHANS,
                    KernelCounter.TCP_ALLOCATED,
                    KernelCounter.TCP_PAGES,
                    KernelCounter.UDP_PAGES);

    private final List<Counter> counters = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();

    /// Keeps both files open. An open file stays with the network namespace in which it was opened.
    ///
    /// @param procNet as in [NetstatReader]
    SockstatReader(Path procNet, End end) {
        for (String name : List.of("sockstat", "sockstat6")) {
            SampledFile file = new SampledFile(procNet.resolve(name));
            int first = counters.size();
            if (file.read()) {
                addCounters(file.text(), "/proc/net/" + name, end);
            }
            tables.add(new Table(file, first, counters.size() - first));
        }
    }

    private record Table(SampledFile file, int first, int columns) {}

    private void addCounters(KernelText text, String source, End end) {
        for (; !text.atEnd(); text.nextLine()) {
            String protocol = text.word().replace(":", "");
            while (!text.lineEnds()) {
                KernelCounter key = KernelCounter.ofSockstat(protocol, text.word());
                counters.add(
                        key.at(end, WHOLE_HOST.contains(key) ? source + " (whole host)" : source));
                text.skipWord();
            }
        }
    }

    @Override
    public List<Counter> counters() {
        return Collections.unmodifiableList(counters);
    }

    @Override
    public void read(double[] values, int from) {
        Arrays.fill(values, from, from + counters.size(), Double.NaN);
        for (Table table : tables) {
            if (table.file.read()) {
                read(table, values, from + table.first);
            }
        }
    }

    private static void read(Table table, double[] values, int first) {
        KernelText text = table.file.text();
        int column = 0;
        for (; !text.atEnd(); text.nextLine()) {
            text.skipWord();
            while (!text.lineEnds() && column < table.columns) {
                text.skipWord();
                values[first + column++] = text.number();
            }
        }
    }

    @Override
    public void close() {
        tables.forEach(table -> table.file.close());
    }
}
