package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Reader;

/// All counters of `/proc/net/netstat` and `/proc/net/snmp`, under the kernel's own names such as
/// `TcpExt.ListenOverflows`. Leaves out `IcmpMsg`, whose columns come and go. Of `/proc/net/snmp6`,
/// which has a line for each counter, it reads those that the diagnosis needs.
final class NetstatReader implements Reader {
    private static final String LEFT_OUT = "IcmpMsg";

    private static final String SNMP6 = "snmp6";

    private static final List<KernelCounter> OF_SNMP6 =
            List.of(
                    KernelCounter.UDP6_SENT,
                    KernelCounter.UDP6_RECEIVED,
                    KernelCounter.UNREACHABLE6);

    private final List<Counter> counters = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final SampledFile snmp6;
    private final List<byte[]> keys;
    private final int snmp6From;

    /// Keeps the files open. An open file stays with the network namespace in which it was opened.
    ///
    /// @param procNet the `net` folder of a thread or process in the namespace, such as
    ///   `/proc/thread-self/net`; `/proc/net` belongs to the main thread
    NetstatReader(Path procNet, End end) {
        for (String name : List.of("netstat", "snmp")) {
            SampledFile file = new SampledFile(procNet.resolve(name));
            tables.add(new Table(file, file.read() ? blocks(file.text(), name, end) : List.of()));
        }
        snmp6 = new SampledFile(procNet.resolve(SNMP6));
        snmp6From = counters.size();
        List<KernelCounter> there = snmp6.read() ? OF_SNMP6 : List.of();
        keys = there.stream().map(NetstatReader::key).toList();
        there.forEach(counter -> counters.add(counter.at(end, "/proc/net/" + SNMP6)));
    }

    private record Table(SampledFile file, List<Block> blocks) {}

    /// Such as `Udp6OutDatagrams`.
    private static byte[] key(KernelCounter counter) {
        return KernelText.key(counter.text().replace(".", ""));
    }

    /// A line of names with its line end, and where its values go.
    @SuppressWarnings("ArrayRecordComponent") // private and never compared
    private record Block(byte[] header, int first, int columns) {}

    private List<Block> blocks(KernelText text, String fileName, End end) {
        List<Block> blocks = new ArrayList<>();
        while (!text.atEnd()) {
            byte[] header = text.restOfLine();
            text.nextLine();
            String[] names = new String(header, StandardCharsets.US_ASCII).split("[: ]+");
            if (names.length < 2 || names[0].equals(LEFT_OUT)) {
                continue;
            }
            byte[] line = Arrays.copyOf(header, header.length + 1);
            line[header.length] = '\n';
            blocks.add(new Block(line, counters.size(), names.length - 1));
            for (int i = 1; i < names.length; i++) {
                counters.add(KernelCounter.of(names[0], names[i]).at(end, "/proc/net/" + fileName));
            }
        }
        return blocks;
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
                read(table, values, from);
            }
        }
        if (!keys.isEmpty() && snmp6.read()) {
            for (int i = 0; i < keys.size(); i++) {
                values[from + snmp6From + i] = snmp6.text().valueOf(keys.get(i));
            }
        }
    }

    private static void read(Table table, double[] values, int from) {
        KernelText text = table.file.text();
        int next = 0;
        while (!text.atEnd() && next < table.blocks.size()) {
            Block block = table.blocks.get(next);
            if (text.skip(block.header)) {
                text.skipWord();
                for (int i = 0; i < block.columns; i++) {
                    values[from + block.first + i] = text.number();
                }
                next++;
            }
            text.nextLine();
        }
    }

    @Override
    public void close() {
        tables.forEach(table -> table.file.close());
        snmp6.close();
    }
}
