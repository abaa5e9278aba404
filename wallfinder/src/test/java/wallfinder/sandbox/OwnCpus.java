package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import wallfinder.linux.KernelFile;

/// The CPUs that the calling thread may run on.
public final class OwnCpus {
    private static final String KEY = "Cpus_allowed_list:";

    private OwnCpus() {}

    public static BitSet allowed() {
        try {
            return KernelFile.lines(Path.of("/proc/thread-self/status")).stream()
                    .filter(line -> line.startsWith(KEY))
                    .map(line -> CpuPlan.parse(line.substring(KEY.length()).strip()))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
