package wallfinder.record;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;

/// What the trials of a matrix come to.
///
/// @param repeat how often each cell was to be measured
/// @param loads how many different loads the cells have
/// @param best the best cell of each load, and of all of them
public record StudyRecord(
        int repeat,
        List<Factor> factors,
        List<Cell> cells,
        int loads,
        List<Effect> effects,
        List<Best> best) {

    /// What was varied.
    ///
    /// @param number whether its values are amounts
    /// @param changesLoad whether cells that differ by it alone have different loads
    public record Factor(String name, List<String> values, boolean number, boolean changesLoad) {}

    /// One combination of the factors' values.
    ///
    /// @param number from 1, in the order of the matrix
    /// @param load which of the different loads it has, from 1
    /// @param trials the names of those that count
    /// @param invalid how many do not count, because the generator was the wall
    /// @param failed how often it could not be measured
    /// @param problem why it was left out or failed, or null
    /// @param figures null if it was never measured
    /// @param against null for the first of its load, and where nothing can be compared
    /// @param verdicts what its trials were judged to be, the most frequent first
    /// @param objectiveMet whether it was met in most of them; null if there is none
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
        /// Whether some of its trials count.
        public boolean counts() {
            return !trials.isEmpty();
        }
    }

    /// What was measured of a cell; of its invalid trials if it has no other.
    ///
    /// @param perSecond the median of answers a second; `NaN` if a load command does not tell
    /// @param spread the 95 % interval of the geometric mean, or null of fewer than two trials
    /// @param p50Nanos the median of the trials' medians; `NaN` if no answer was timed
    /// @param p99Nanos the median of the trials' 99th percentiles
    /// @param seconds how long was measured, all trials together
    /// @param errors null if a load command does not tell them
    /// @param cpuMicros CPU time of all services for each answer, or `NaN`
    /// @param startSeconds how long the services took to get ready, the median; or `NaN`
    /// @param rssBytes the most memory that each of their processes held, all together; the median,
    ///   or `NaN`
    /// @param heapBytes what the services' JVMs let their heaps grow to, all together; the median,
    ///   or `NaN`
    /// @param held what became of held connections, or null: then answers are those that came when
    ///   all of them stood
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
            @Nullable Held held) {}

    /// What became of connections that were held; medians.
    ///
    /// @param connections that were asked for
    /// @param alive at the end
    /// @param connectsPerSecond while they were opened; `NaN` if it ended before all were
    /// @param userBytes by which the memory of the services' processes (RSS) grew for each that is
    ///   alive; `NaN` if not known
    /// @param kernelBytes the same of what their cgroups are charged with for the kernel
    public record Held(
            double connections,
            double alive,
            double connectsPerSecond,
            double userBytes,
            double kernelBytes) {}

    /// A cell against another one.
    ///
    /// @param cell the other one's number
    /// @param throughput null if there are too few answers, or too few trials
    /// @param p99 null likewise
    /// @param connects how fast connections that are held were opened; null of other loads
    public record Against(
            int cell,
            @Nullable RatioInterval throughput,
            @Nullable RatioInterval p99,
            @Nullable RatioInterval connects) {}

    /// How many trials were judged alike.
    ///
    /// @param text `none`, or `cpu, server, throughput`
    public record Verdicts(String text, int trials) {}

    /// One value of a factor against its first one, all others equal.
    ///
    /// @param throughput over all cells that differ by this alone; null if nothing can be compared
    /// @param connects how fast connections that are held were opened; null of other loads
    /// @param where the same for each combination of the other factors, where there are some
    public record Effect(
            String factor,
            String from,
            String to,
            @Nullable RatioInterval throughput,
            @Nullable RatioInterval p99,
            @Nullable RatioInterval connects,
            List<Where> where) {}

    /// An effect in one place.
    ///
    /// @param text the values of the other factors
    public record Where(
            String text, @Nullable RatioInterval throughput, @Nullable RatioInterval p99) {}

    /// The cell with the highest rate.
    ///
    /// @param load of which load, or 0: of all, which are different
    /// @param alike cells of the same load that cannot be told from it
    public record Best(int load, int cell, List<Integer> alike) {}
}
