package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelFile;

/// The memory of this host, as `/proc/meminfo` tells it.
///
/// @param availableBytes what the kernel thinks can be used without swapping (`MemAvailable`)
/// @param reclaimableBytes of these, the inodes and names that it would give back (`SReclaimable`)
public record HostMemory(long availableBytes, long reclaimableBytes) {
    private static final Path MEMINFO = Path.of("/proc/meminfo");

    /// Null if the kernel does not tell.
    public static @Nullable HostMemory read() {
        try {
            List<String> lines = KernelFile.lines(MEMINFO);
            return new HostMemory(bytes(lines, "MemAvailable:"), bytes(lines, "SReclaimable:"));
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }

    /// What is left for more sockets. Each has an inode and a name, 1 KB together, which count as
    /// memory that can be had back, and cannot while it is open; so with five million of them 5 GB
    /// that are told to be available are not. What came since is taken for theirs.
    public long leftSince(HostMemory before) {
        return availableBytes - Math.max(0, reclaimableBytes - before.reclaimableBytes);
    }

    private static long bytes(List<String> lines, String key) {
        String line = lines.stream().filter(l -> l.startsWith(key)).findFirst().orElse("");
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }
}
