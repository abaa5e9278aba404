package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// What the CPUs do for a service, as shares of its CPU time, from several windows of time.
///
/// @param cpus the CPU time of the service in a second
/// @param microsPerAnswer the CPU time of an answer; `NaN` if no client was seen
/// @param samples the number of sampled stacks
/// @param lost samples that a JVM took and could not keep
/// @param parts the largest first; together they are the whole CPU time
/// @param methods the methods of the sampled stacks, those with the most own time first
/// @param flames all sampled stacks
/// @param allocation null if no JVM allocated anything, or its allocations are not known
public record CpuProfile(
        double cpus,
        double microsPerAnswer,
        long samples,
        long lost,
        List<Part> parts,
        List<Method> methods,
        FlameGraph flames,
        @Nullable AllocationProfile allocation) {
    private static final int METHODS_MAX = 10;

    public CpuProfile {
        parts = List.copyOf(parts);
        methods = List.copyOf(methods);
    }

    /// What a part of the CPU time is used for.
    public enum Kind {
        APPLICATION("application"),
        JDK("jdk"),
        KERNEL("kernel"),
        COLLECTOR("gc"),
        COMPILER("compiler"),
        UNSEEN("unseen"),
        PROCESS("process");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /// @param name a package, a process, or the work in words
    /// @param share of the service's CPU time, 0 to 1, with its 95 % interval
    public record Part(String name, Kind kind, Share share) {}

    /// @param self the share in the method itself and in native code that it calls
    /// @param total the share with everything that it calls
    public record Method(String name, Share self, Share total) {}

    /// A share of the CPU time of all windows with its 95 % interval. The bounds are `NaN` for a
    /// single window.
    public record Share(double mean, double low, double high) {
        private static final double TAIL = 0.025;

        /// How many times as many answers there are at most if this takes no time any more and the
        /// CPU stays the limit (Amdahl's law); `NaN` if nothing else takes time.
        public double speedupMax() {
            return mean < 1 ? 1 / (1 - mean) : Double.NaN;
        }

        /// @param weights the CPU time of each window, of which `values` has the shares
        static Share of(double[] values, double[] weights) {
            double all = Arrays.stream(weights).sum();
            double sum = 0;
            for (int i = 0; i < values.length; i++) {
                sum += weights[i] * values[i];
            }
            double mean = sum / all;
            double half = halfWidth(values, weights, mean) / all;
            return new Share(mean, Math.max(0, mean - half), Math.min(1, mean + half));
        }

        /// Of the sum, for the ratio of two sums (the linearized variance).
        private static double halfWidth(double[] values, double[] weights, double mean) {
            int n = values.length;
            if (n < 2) {
                return Double.NaN;
            }
            double squares = 0;
            for (int i = 0; i < n; i++) {
                double difference = weights[i] * (values[i] - mean);
                squares += difference * difference;
            }
            return StudentT.quantile(TAIL, n - 1) * Math.sqrt(squares * n / (n - 1));
        }
    }

    /// @return empty if the service used no CPU
    public static Optional<CpuProfile> of(List<CpuWindow> windows) {
        return of(windows, windows);
    }

    /// @param allocating windows with samples of allocations
    /// @return empty if the service used no CPU
    public static Optional<CpuProfile> of(List<CpuWindow> windows, List<CpuWindow> allocating) {
        List<CpuWindow> busy = windows.stream().filter(w -> seconds(w) > 0).toList();
        if (busy.isEmpty()) {
            return Optional.empty();
        }
        Function<String, String> groups = PackageGroups.of(busy);
        double[] weights = busy.stream().mapToDouble(CpuProfile::seconds).toArray();
        Map<String, Long> kernel = kernelSamples(busy);
        List<WindowShares> shares =
                busy.stream().map(w -> WindowShares.of(w, groups, kernel)).toList();
        return Optional.of(
                new CpuProfile(
                        busy.stream().mapToDouble(CpuProfile::seconds).sum()
                                / busy.stream().mapToDouble(CpuWindow::seconds).sum(),
                        1e6
                                * busy.stream().mapToDouble(CpuProfile::seconds).sum()
                                / busy.stream().mapToDouble(CpuWindow::answers).sum(),
                        busy.stream().mapToLong(CpuWindow::samples).sum(),
                        busy.stream().mapToLong(CpuWindow::lost).sum(),
                        parts(shares, weights),
                        methods(shares, weights),
                        FlameGraph.of(busy),
                        AllocationProfile.of(allocating).orElse(null)));
    }

    /// The samples of the kernel in all windows.
    static Map<String, Long> kernelSamples(List<CpuWindow> windows) {
        Map<String, Long> all = new TreeMap<>();
        windows.forEach(w -> w.kernelSamples().forEach((name, n) -> all.merge(name, n, Long::sum)));
        return all;
    }

    static double seconds(CpuWindow window) {
        return window.threads().stream().mapToDouble(ThreadCpu::seconds).sum();
    }

    static double seconds(CpuWindow window, Job job) {
        return window.threads().stream()
                .filter(thread -> thread.job() == job)
                .mapToDouble(ThreadCpu::seconds)
                .sum();
    }

    /// The threads of the program of each JVM, by its id.
    static Map<Integer, List<ThreadCpu>> programs(CpuWindow window) {
        return window.threads().stream()
                .filter(thread -> thread.job() == Job.PROGRAM)
                .collect(Collectors.groupingBy(ThreadCpu::pid, TreeMap::new, Collectors.toList()));
    }

    private static List<Part> parts(List<WindowShares> windows, double[] weights) {
        Map<WindowShares.Key, double[]> byKey = new LinkedHashMap<>();
        for (int i = 0; i < windows.size(); i++) {
            for (Map.Entry<WindowShares.Key, Double> part : windows.get(i).parts().entrySet()) {
                byKey.computeIfAbsent(part.getKey(), key -> new double[windows.size()])[i] =
                        part.getValue();
            }
        }
        List<Part> parts = new ArrayList<>();
        byKey.forEach((key, values) ->
                parts.add(new Part(key.name(), key.kind(), Share.of(values, weights))));
        parts.sort(Comparator.comparingDouble((Part part) -> -part.share().mean()));
        return parts;
    }

    private static List<Method> methods(List<WindowShares> windows, double[] weights) {
        Map<String, double[]> self = new TreeMap<>();
        Map<String, double[]> total = new TreeMap<>();
        for (int i = 0; i < windows.size(); i++) {
            int window = i;
            windows.get(i)
                    .self()
                    .forEach((name, share) -> at(self, name, windows.size())[window] = share);
            windows.get(i)
                    .total()
                    .forEach((name, share) -> at(total, name, windows.size())[window] = share);
        }
        return total.entrySet().stream()
                .map(e ->
                        new Method(
                                e.getKey(),
                                Share.of(at(self, e.getKey(), windows.size()), weights),
                                Share.of(e.getValue(), weights)))
                .sorted(Comparator.comparingDouble(m -> -m.self().mean()))
                .limit(METHODS_MAX)
                .toList();
    }

    private static double[] at(Map<String, double[]> map, String name, int windows) {
        return map.computeIfAbsent(name, key -> new double[windows]);
    }
}
