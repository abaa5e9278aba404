package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import wallfinder.experiment.UsageException;
import wallfinder.linux.CpuList;
import wallfinder.linux.KernelFile;
import wallfinder.linux.OnlineCpus;
import wallfinder.observation.End;

/// The CPUs of the services and those of the load.
public record CpuPlan(BitSet server, BitSet client) {
    private static final Path STATUS = Path.of("/proc/self/status");

    /// Gives the last CPUs to the client and the others to the server. A single CPU is shared.
    ///
    /// @param clientCpus how many CPUs the client gets; at least one remains for the server
    public static CpuPlan split(int clientCpus) {
        return split(allowed(), clientCpus);
    }

    static CpuPlan split(BitSet allowed, int clientCpus) {
        int[] all = allowed.stream().toArray();
        int forServer = Math.max(1, all.length - Math.max(1, clientCpus));
        if (all.length < 2) {
            return new CpuPlan(allowed, allowed);
        }
        BitSet server = new BitSet();
        BitSet client = new BitSet();
        IntStream.range(0, all.length).forEach(i -> (i < forServer ? server : client).set(all[i]));
        return new CpuPlan(server, client);
    }

    /// All CPUs, for an end that has this host for itself.
    static CpuPlan whole() {
        return new CpuPlan(allowed(), allowed());
    }

    BitSet of(End end) {
        return end == End.SERVER ? server : client;
    }

    /// The online CPUs that this process may use.
    public static BitSet allowed() {
        try {
            return allowed(STATUS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BitSet allowed(Path status) throws IOException {
        String line =
                KernelFile.lines(status).stream()
                        .filter(l -> l.startsWith("Cpus_allowed_list:"))
                        .findFirst()
                        .orElseThrow(() -> new IOException(status + " names no CPUs"));
        return OnlineCpus.among(parse(line.substring(line.indexOf(':') + 1).strip()));
    }

    /// Reads a list such as `0-2,5`.
    ///
    /// @throws UsageException if it is not such a list
    public static BitSet parse(String list) {
        try {
            return CpuList.parse(list);
        } catch (NumberFormatException e) {
            throw new UsageException(
                    "the list of CPUs \"" + list + "\" cannot be read",
                    "\"" + e.getMessage() + "\" is neither a number nor a range",
                    "write it as in 0-2,5");
        }
    }

    /// Writes CPUs as a list such as `0,1,5`.
    static String text(BitSet cpus) {
        return cpus.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}
