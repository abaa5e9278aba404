package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelFile;

/// The memory of this host, from `/proc/meminfo`.
///
/// @param availableBytes the kernel's estimate of what is usable without swapping (`MemAvailable`)
/// @param reclaimableBytes its part in inodes and names that can be freed (`SReclaimable`)
public record HostMemory(long availableBytes, long reclaimableBytes) {
    private static final Path MEMINFO = Path.of("/proc/meminfo");

    /// @return null if the file cannot be read
    public static @Nullable HostMemory read() {
        try {
            List<String> lines = KernelFile.lines(MEMINFO);
            return new HostMemory(bytes(lines, "MemAvailable:"), bytes(lines, "SReclaimable:"));
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }

    /// The memory left for more sockets. The inode and the name of a socket take 1 KB, which the
    /// kernel counts as reclaimable although it cannot free them while the socket is open: with
    /// five million sockets, 5 GB of the available memory do not exist. All reclaimable memory
    /// added since `before` is attributed to sockets.
    public long leftSince(HostMemory before) {
        return availableBytes - Math.max(0, reclaimableBytes - before.reclaimableBytes);
    }

    private static long bytes(List<String> lines, String key) {
        String line = lines.stream().filter(l -> l.startsWith(key)).findFirst().orElse("");
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }
}
