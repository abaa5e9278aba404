package wallfinder.record;

import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;

/// Two stored runs, side by side. Ratios are B divided by A.
///
/// @param sameRun whether both are one and the same run
/// @param differences what was different around the measurement, the host first
/// @param alike facts of the host that are the same, in words
/// @param doubts the doubts of the trials in `rows`
/// @param rows the trials that correspond
/// @param unmatched what only one of the runs has, in sentences
/// @param refused why nothing can be compared, or null
public record Comparison(
        Side a,
        Side b,
        boolean sameRun,
        List<Difference> differences,
        List<String> alike,
        List<Doubt> doubts,
        List<Row> rows,
        List<String> unmatched,
        @Nullable String refused,
        Decision decision) {

    /// One of the two runs.
    ///
    /// @param run as the user named it
    public record Side(String run, String name, String command, String startedAt) {}

    /// Where a difference lies, in the order in which they are shown.
    public enum Where {
        HOST("the host"),
        LOAD("the load"),
        SETTING("a setting"),
        JVM("a JVM");

        private final String words;

        Where(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /// @param a the value in A; a dash if A has none
    public record Difference(Where where, String what, String a, String b) {}

    /// @param inA whether trials of A have it
    public record Doubt(String id, String advice, boolean inA, boolean inB) {}

    /// Trials that correspond.
    ///
    /// @param load what was asked of the services; of both, if they had different loads
    /// @param trialsA the names of those of A
    /// @param notes what limits this comparison, in sentences
    /// @param budgetA the time of an answer by its part, the median of the trials; null if unknown
    public record Row(
            String label,
            String load,
            List<String> trialsA,
            List<String> trialsB,
            List<Figure> figures,
            String wallA,
            String wallB,
            StoredRun.@Nullable Budget budgetA,
            StoredRun.@Nullable Budget budgetB,
            List<String> notes) {}

    /// What is compared.
    public enum Kind {
        CAPACITY("capacity", "higher", "lower"),
        GOOD_PER_SECOND("good answers/s", "higher", "lower"),
        P50("response p50", "longer", "shorter"),
        P99("response p99", "longer", "shorter"),
        FAILED_SHARE("failed requests", "higher", "lower"),
        CPU_MICROS("CPU per answer", "more", "less"),
        CONNECTS_PER_SECOND("connects/s", "higher", "lower"),
        ALIVE("alive at the end", "more", "fewer"),
        LIMIT_BYTES("smallest limit", "larger", "smaller");

        private final String words;
        private final String more;
        private final String less;

        Kind(String words, String more, String less) {
            this.words = words;
            this.more = more;
            this.less = less;
        }

        public String words() {
            return words;
        }

        /// Such as `higher`.
        public String more() {
            return more;
        }

        public String less() {
            return less;
        }
    }

    /// What a figure shows.
    public enum Result {
        MORE,
        LESS,
        /// There is no difference beyond the noise.
        NONE,
        /// The interval is too wide to say.
        UNCLEAR,
        /// One of the runs has one trial, or the trials of a capacity contradict each other.
        NO_INTERVAL,
        /// The generator was the limit in A: the service could do more there.
        A_IS_LOWER_BOUND,
        B_IS_LOWER_BOUND,
        BOTH_ARE_LOWER_BOUNDS,
        /// The generator was the limit on a side, so this figure shows the generator.
        SHOWS_THE_GENERATOR,
        /// The loads differ, so the figure says nothing about the services.
        OTHER_LOAD,
        /// The limits differ by at most one step of the search.
        WITHIN_A_STEP,
        /// There is no interval for this figure. The shares are about the same, or the load or its
        /// generator keeps them from saying something about the services.
        SHARES,
        /// There is no interval for this figure, but the shares differ.
        SHARES_DIFFER
    }

    /// @param a the median of A's trials; `NaN` if unknown
    /// @param ratio B divided by A; `NaN` if it makes no sense
    /// @param interval null if a side has a single trial
    public record Figure(
            Kind kind,
            double a,
            double b,
            double ratio,
            @Nullable RatioInterval interval,
            Result result) {}

    /// How to decide what this comparison cannot.
    ///
    /// @param how sentences
    /// @param commands shell commands
    /// @param experiment the text of an experiment for `run`, or null
    public record Decision(List<String> how, List<String> commands, @Nullable String experiment) {}
}
