package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The memory of this host.
public final class HostMemory {
    private static final Path MEMINFO = Path.of("/proc/meminfo");

    private HostMemory() {}

    /// What the kernel thinks can be used without swapping (`MemAvailable`), null if it does not
    /// tell.
    public static @Nullable Long availableBytes() {
        try {
            return KernelFile.lines(MEMINFO).stream()
                    .filter(line -> line.startsWith("MemAvailable:"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }
}
