package wallfinder.profiling;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelSamples;
import wallfinder.linux.SyscallException;

/// Counts what some processes are in the kernel for. Counts nothing if the kernel allows no
/// samples.
final class KernelWatch implements AutoCloseable {
    private final @Nullable KernelSymbols symbols = KernelSymbols.read().orElse(null);
    private final @Nullable KernelSamples samples = symbols == null ? null : open();

    private static @Nullable KernelSamples open() {
        try {
            return KernelSamples.open();
        } catch (SyscallException e) {
            return null;
        }
    }

    /// The samples since the last call, by purpose.
    Map<String, Long> take(List<Long> pids) {
        Map<String, Long> counts = new HashMap<>();
        if (samples == null || symbols == null) {
            return counts;
        }
        Set<Long> own = new HashSet<>(pids);
        for (KernelSamples.Sample sample : samples.take()) {
            if (own.contains((long) sample.pid())) {
                counts.merge(symbols.purpose(sample.calls()), 1L, Long::sum);
            }
        }
        return counts;
    }

    @Override
    public void close() {
        if (samples != null) {
            samples.close();
        }
    }
}
