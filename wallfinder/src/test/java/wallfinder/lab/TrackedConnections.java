package wallfinder.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The conditions for a test that fills the kernel's table of tracked connections.
public final class TrackedConnections {
    private static final Path MAX = Path.of("/proc/sys/net/netfilter/nf_conntrack_max");

    /// Filling a larger table takes too long for a test.
    private static final long ENTRIES_MAX = 600_000;

    private TrackedConnections() {}

    static void assumeInstalled(String program) {
        boolean found =
                Files.isExecutable(Path.of("/usr/sbin", program))
                        || Files.isExecutable(Path.of("/sbin", program))
                        || Files.isExecutable(Path.of("/usr/bin", program));
        assumeTrue(found, program + " is not installed");
    }

    public static void assumeFillable() throws IOException {
        assumeInstalled("nft");
        assumeInstalled("conntrack");
        assumeTrue(Files.exists(MAX), "this kernel tracks no connections");
        try (var in = Files.newInputStream(MAX)) {
            long entries = Long.parseLong(new String(in.readAllBytes()).strip());
            assumeTrue(entries <= ENTRIES_MAX, "the table of this host is too large to fill");
        }
    }
}
