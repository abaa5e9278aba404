package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import wallfinder.observation.CpuWindow;

/// What the CPU time of an answer is used for, before a change and after it, from interleaved pairs
/// of fresh processes.
///
/// Two profiles of the same program always look different. So each part and each method is a
/// hypothesis of its own: it differs only if Student's t interval of the pairs' differences
/// excludes zero, at an error rate that is divided by the number of all hypotheses (Bonferroni).
/// Which parts and methods are compared depends on their time in both arms together, never on the
/// difference.
///
/// @param cpu all CPU time of an answer
/// @param parts those that differ first, then by size
/// @param methods by their own time, in the same order
/// @param flames the calls of both arms together
public record ProfileChange(
        int pairs, Micros cpu, List<Part> parts, List<Method> methods, FlameGraph flames) {
    /// Smaller parts and methods are not compared: they would only widen the intervals of all.
    private static final double COMPARED_MIN = 0.01;

    /// Of the time of an answer. Less is no difference, however sure it is.
    private static final double DIFFERENCE_MIN = 0.001;

    /// A variance of fewer pairs says too little.
    private static final int PAIRS_MIN = 3;

    /// The error rate of all comparisons together.
    private static final double ERROR_RATE = 0.05;

    public ProfileChange {
        parts = List.copyOf(parts);
        methods = List.copyOf(methods);
    }

    /// Microseconds of CPU for an answer, as means over the pairs.
    ///
    /// @param low the lower bound of the difference, after minus before
    /// @param differs whether the pairs say that there is a difference
    public record Micros(double before, double after, double low, double high, boolean differs) {
        public double difference() {
            return after - before;
        }

        private double size() {
            return before + after;
        }
    }

    /// @param name a package, a process, or the work in words
    public record Part(String name, CpuProfile.Kind kind, Micros micros) {}

    /// @param self the time in the method itself and in native code that it calls
    public record Method(String name, Micros self) {}

    /// What differs, and the method that differs most first.
    public List<Method> different() {
        return methods.stream().filter(method -> method.self().differs()).toList();
    }

    /// @param before the windows of each trial without the change
    /// @param after the windows of the trials with it, in the same order
    /// @return empty with fewer than three pairs, or if a trial had no answer
    public static Optional<ProfileChange> of(
            List<List<CpuWindow>> before, List<List<CpuWindow>> after) {
        int pairs = Math.min(before.size(), after.size());
        List<List<CpuWindow>> trials = new ArrayList<>(before.subList(0, pairs));
        trials.addAll(after.subList(0, pairs));
        boolean known =
                pairs >= PAIRS_MIN
                        && trials.stream().allMatch(trial -> answers(trial) > 0)
                        && trials.stream().allMatch(trial -> seconds(trial) > 0);
        return known ? Optional.of(new Computation(trials, pairs).change()) : Optional.empty();
    }

    private static double answers(List<CpuWindow> trial) {
        return trial.stream().mapToDouble(CpuWindow::answers).sum();
    }

    private static double seconds(List<CpuWindow> trial) {
        return trial.stream().mapToDouble(CpuProfile::seconds).sum();
    }

    private static final class Computation {
        private final int pairs;

        /// Those of all trials before, then those of all trials after.
        private final double[] cpu;

        private final Map<WindowShares.Key, double[]> parts = new TreeMap<>();
        private final Map<String, double[]> methods = new TreeMap<>();
        private final FlameGraph flames;

        Computation(List<List<CpuWindow>> trials, int pairs) {
            this.pairs = pairs;
            List<CpuWindow> all = trials.stream().flatMap(List::stream).toList();
            Function<String, String> groups = PackageGroups.of(all);
            Map<String, Long> kernel = CpuProfile.kernelSamples(all);
            cpu = new double[trials.size()];
            for (int i = 0; i < trials.size(); i++) {
                add(i, trials.get(i), groups, kernel);
            }
            flames = FlameGraph.of(all);
        }

        private void add(
                int trial,
                List<CpuWindow> windows,
                Function<String, String> groups,
                Map<String, Long> kernel) {
            double microsPerSecond = 1e6 / answers(windows);
            cpu[trial] = microsPerSecond * ProfileChange.seconds(windows);
            for (CpuWindow window : windows) {
                double micros = microsPerSecond * CpuProfile.seconds(window);
                if (micros > 0) {
                    WindowShares shares = WindowShares.of(window, groups, kernel);
                    shares.parts().forEach((key, share) -> at(parts, key)[trial] += share * micros);
                    shares.self()
                            .forEach((name, share) -> at(methods, name)[trial] += share * micros);
                }
            }
        }

        private <K> double[] at(Map<K, double[]> map, K key) {
            return map.computeIfAbsent(key, absent -> new double[cpu.length]);
        }

        ProfileChange change() {
            double enough = COMPARED_MIN * Arrays.stream(cpu).sum();
            Predicate<double[]> rare = micros -> Arrays.stream(micros).sum() < enough;
            parts.values().removeIf(rare);
            methods.values().removeIf(rare);
            int compared = 1 + parts.size() + methods.size();
            double t = StudentT.quantile(ERROR_RATE / 2 / compared, pairs - 1);
            List<Part> ofParts = new ArrayList<>();
            parts.forEach((key, micros) ->
                    ofParts.add(new Part(key.name(), key.kind(), compared(micros, t))));
            ofParts.sort(bySize(Part::micros));
            List<Method> ofMethods = new ArrayList<>();
            methods.forEach((name, micros) -> ofMethods.add(new Method(name, compared(micros, t))));
            ofMethods.sort(bySize(Method::self));
            return new ProfileChange(pairs, compared(cpu, t), ofParts, ofMethods, flames);
        }

        /// The largest real difference first, then the largest time.
        private static <T> Comparator<T> bySize(Function<T, Micros> of) {
            return Comparator.comparingDouble((T one) ->
                            of.apply(one).differs() ? -Math.abs(of.apply(one).difference()) : 0)
                    .thenComparingDouble(one -> -of.apply(one).size());
        }

        private Micros compared(double[] micros, double t) {
            double before = 0;
            double after = 0;
            for (int i = 0; i < pairs; i++) {
                before += micros[i] / pairs;
                after += micros[i + pairs] / pairs;
            }
            double squares = 0;
            for (int i = 0; i < pairs; i++) {
                double off = micros[i + pairs] - micros[i] - (after - before);
                squares += off * off;
            }
            double half = t * Math.sqrt(squares / (pairs - 1) / pairs);
            double difference = after - before;
            double least = DIFFERENCE_MIN * Arrays.stream(cpu).sum() / cpu.length;
            boolean differs = Math.abs(difference) > Math.max(half, least);
            return new Micros(before, after, difference - half, difference + half, differs);
        }
    }
}
