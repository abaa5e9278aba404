package wallfinder.experiment;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// An experiment for each combination of its factors' values.
///
/// @param text the experiment as it was written
/// @param repeat how often each cell is to be measured
/// @param factors in the order of the file; empty if there is no matrix: then there is one cell
/// @param cells the last factor turns fastest
public record Matrix(String name, String text, int repeat, List<Factor> factors, List<Cell> cells) {
    /// More are not a study but a mistake.
    public static final int TRIALS_MAX = 1_000;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,14})(\\.\\d{1,9})?");

    /// What is varied.
    ///
    /// @param values as they are shown
    public record Factor(String name, List<String> values) {
        /// Versions and folders of JVMs are names, even where they look like numbers.
        public boolean isJvm() {
            return isJvm(name);
        }

        static boolean isJvm(String name) {
            return name.endsWith("jvm") || name.endsWith("Jvm");
        }

        /// Whether its values are amounts.
        public boolean isNumber() {
            return !isJvm() && values.stream().allMatch(value -> NUMBER.matcher(value).matches());
        }
    }

    /// One combination.
    ///
    /// @param factors the value of each factor, in the order of the factors
    /// @param experiment what it comes to
    /// @param load what is asked of the services, as text: two cells with the same have the same
    ///   load. Who drives it is not in it: a load command's JVM, knobs and limits
    /// @param jvms versions and folders of all JVMs that it needs
    public record Cell(
            Map<String, String> factors, Experiment experiment, String load, Set<String> jvms) {
        /// `poolSize 8, jvm 17`; empty where nothing is varied.
        public String describe() {
            return Matrix.describe(factors);
        }
    }

    /// The values of factors in one line.
    public static String describe(Map<String, String> factors) {
        StringBuilder text = new StringBuilder();
        factors.forEach((name, value) -> {
            text.append(text.isEmpty() ? "" : ", ").append(name).append(' ');
            text.append(value.isEmpty() ? "(nothing)" : value);
        });
        return text.toString();
    }
}
