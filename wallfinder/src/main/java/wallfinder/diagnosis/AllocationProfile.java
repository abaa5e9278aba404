package wallfinder.diagnosis;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import wallfinder.diagnosis.CpuProfile.Share;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.SampledAllocation;

/// What the JVMs of a service allocate: the work that their garbage collectors get.
///
/// @param bytesPerSecond of all JVMs, estimated from the samples
/// @param bytesPerAnswer the same for an answer; `NaN` if no client was seen
/// @param samples how many there are; the estimates are about `1 / sqrt(samples)` off
/// @param methods who allocates: the innermost calls outside of the JDK, the largest first
/// @param types what they allocate: classes, the largest first
public record AllocationProfile(
        double bytesPerSecond,
        double bytesPerAnswer,
        long samples,
        List<Allocated> methods,
        List<Allocated> types) {
    private static final int SHOWN_MAX = 10;

    public AllocationProfile {
        methods = List.copyOf(methods);
        types = List.copyOf(types);
    }

    /// @param share of all allocated bytes, 0 to 1, with its 95 % interval
    public record Allocated(String name, Share share) {}

    /// @return empty if no JVM allocated anything, or its allocations are not known
    static Optional<AllocationProfile> of(List<CpuWindow> windows) {
        double[] bytes = windows.stream().mapToDouble(AllocationProfile::bytes).toArray();
        double all = Arrays.stream(bytes).sum();
        if (all == 0) {
            return Optional.empty();
        }
        return Optional.of(
                new AllocationProfile(
                        all / windows.stream().mapToDouble(CpuWindow::seconds).sum(),
                        all / windows.stream().mapToDouble(CpuWindow::answers).sum(),
                        windows.stream().mapToLong(window -> window.allocations().size()).sum(),
                        by(AllocationProfile::allocator, windows, bytes),
                        by(SampledAllocation::type, windows, bytes)));
    }

    private static double bytes(CpuWindow window) {
        return window.allocations().stream().mapToDouble(SampledAllocation::bytes).sum();
    }

    private static String allocator(SampledAllocation allocation) {
        List<Frame> frames = allocation.frames();
        return frames.isEmpty() ? "the JVM itself" : WindowShares.owner(frames).name();
    }

    private static List<Allocated> by(
            Function<SampledAllocation, String> name, List<CpuWindow> windows, double[] bytes) {
        Map<String, double[]> shares = new TreeMap<>();
        for (int i = 0; i < bytes.length; i++) {
            for (SampledAllocation allocation : windows.get(i).allocations()) {
                shares.computeIfAbsent(name.apply(allocation), _ -> new double[bytes.length])[i] +=
                        allocation.bytes() / bytes[i];
            }
        }
        return shares.entrySet().stream()
                .map(e -> new Allocated(e.getKey(), Share.of(e.getValue(), bytes)))
                .sorted(Comparator.comparingDouble(allocated -> -allocated.share().mean()))
                .limit(SHOWN_MAX)
                .toList();
    }
}
