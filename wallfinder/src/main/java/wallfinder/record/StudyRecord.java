package wallfinder.record;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;

/// The results of a matrix.
///
/// @param repeat the planned number of rounds
/// @param best the best cell of each load, and of all
public record StudyRecord(
        int repeat,
        List<Factor> factors,
        List<Cell> cells,
        int loads,
        List<Effect> effects,
        List<Best> best) {

    /// A factor of the matrix.
    public record Factor(String name, List<String> values, boolean number, boolean changesLoad) {}

    /// One combination of the factors' values.
    ///
    /// @param number from 1, in the order of the matrix
    /// @param load the number of its load, from 1
    /// @param trials the names of the trials that count
    /// @param invalid the number of trials whose limit was the generator; they do not count
    /// @param problem why it was left out or failed, or null
    /// @param figures null without a measurement
    /// @param against null for the first cell of its load, and if nothing can be compared
    /// @param verdicts the verdicts of its trials, the most frequent first
    /// @param objectiveMet whether most trials met it; null without an objective
    public record Cell(
            int number,
            Map<String, String> factors,
            int load,
            List<String> trials,
            int invalid,
            int failed,
            @Nullable String problem,
            @Nullable Figures figures,
            @Nullable Against against,
            List<Verdicts> verdicts,
            @Nullable Boolean objectiveMet) {
        /// Whether a trial of it counts.
        public boolean counts() {
            return !trials.isEmpty();
        }
    }

    /// The figures of a cell; of its invalid trials if it has no other.
    ///
    /// @param perSecond the median of answers a second; `NaN` if a load command does not report
    ///   them
    /// @param spread the 95 % interval of the geometric mean, or null for fewer than two trials
    /// @param p50Nanos the median of the trials' medians; `NaN` if no answer was timed
    /// @param requests those with a good answer
    /// @param errors null if a load command does not report them
    /// @param cpuMicros CPU time of all services for each answer, or `NaN`
    /// @param startSeconds the median of the services' start times, or `NaN`
    /// @param rssBytes the sum of the largest RSS of each process; the median, or `NaN`
    /// @param heapBytes the sum of the largest heaps of the services' JVMs; the median, or `NaN`
    /// @param held the fate of held connections, or null; with it, answers are those that came
    ///   after all connections were established
    public record Figures(
            double perSecond,
            @Nullable RatioInterval spread,
            double p50Nanos,
            double p99Nanos,
            double seconds,
            long requests,
            @Nullable Long errors,
            double cpuMicros,
            double startSeconds,
            double rssBytes,
            double heapBytes,
            @Nullable Held held) {
        /// Failed requests of all; `NaN` if unknown, or without a request.
        public double errorShare() {
            return errors == null || errors + requests == 0
                    ? Double.NaN
                    : (double) errors / (errors + requests);
        }
    }

    /// The fate of held connections; medians.
    ///
    /// @param connectsPerSecond the rate at which they were opened; `NaN` if not all were
    /// @param userBytes growth of the services' RSS for each connection that is alive; `NaN` if
    ///   unknown
    /// @param kernelBytes the same for the kernel memory of their cgroups
    public record Held(
            double connections,
            double alive,
            double connectsPerSecond,
            double userBytes,
            double kernelBytes) {}

    /// A cell compared with another one.
    ///
    /// @param throughput null if there are too few answers, or too few trials
    /// @param connects the rate at which held connections were opened; null for other loads
    public record Against(
            int cell,
            @Nullable RatioInterval throughput,
            @Nullable RatioInterval p99,
            @Nullable RatioInterval connects) {}

    /// The number of trials with one verdict.
    ///
    /// @param text `none`, or `cpu, server, throughput`
    public record Verdicts(String text, int trials) {}

    /// One value of a factor compared with its first value, all others equal.
    ///
    /// @param throughput over all cells that differ by this alone; null if nothing can be compared
    /// @param connects the rate at which held connections were opened; null for other loads
    /// @param where the same for each combination of the other factors
    public record Effect(
            String factor,
            String from,
            String to,
            @Nullable RatioInterval throughput,
            @Nullable RatioInterval p99,
            @Nullable RatioInterval connects,
            List<Where> where) {}

    /// An effect for one combination of the other factors.
    ///
    /// @param text the values of the other factors
    public record Where(
            String text, @Nullable RatioInterval throughput, @Nullable RatioInterval p99) {}

    /// The cell with the highest rate.
    ///
    /// @param load the number of its load, or 0 for the best of all
    /// @param alike cells of the same load that do not differ from it
    public record Best(int load, int cell, List<Integer> alike) {}
}
