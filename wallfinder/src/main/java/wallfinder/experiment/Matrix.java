package wallfinder.experiment;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// An experiment for each combination of the factors' values.
///
/// @param text the text of the experiment file
/// @param repeat how often each cell is measured
/// @param factors in the order of the file; empty without a matrix, which then has one cell
/// @param cells in the order of the values; the last factor changes fastest
public record Matrix(String name, String text, int repeat, List<Factor> factors, List<Cell> cells) {
    /// More trials are probably a mistake.
    public static final int TRIALS_MAX = 1_000;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,14})(\\.\\d{1,9})?");

    /// @param values as they are shown
    public record Factor(String name, List<String> values) {
        /// Versions and folders of JVMs are names, even if they look like numbers.
        public boolean isJvm() {
            return isJvm(name);
        }

        static boolean isJvm(String name) {
            return name.endsWith("jvm") || name.endsWith("Jvm");
        }

        public boolean isNumber() {
            return !isJvm() && values.stream().allMatch(value -> NUMBER.matcher(value).matches());
        }
    }

    /// One combination.
    ///
    /// @param factors the value of each factor, in the order of the factors
    /// @param load the load as text, which is equal for cells with the same load; without the JVM,
    ///   the knobs and the limits of a load command
    /// @param jvms versions and folders of all JVMs that it needs
    public record Cell(
            Map<String, String> factors, Experiment experiment, String load, Set<String> jvms) {
        /// `poolSize 8, jvm 17`; empty without factors.
        public String describe() {
            return Matrix.describe(factors);
        }
    }

    /// The same cells with other experiments, such as those on another host.
    public Matrix each(UnaryOperator<Experiment> change) {
        List<Cell> others =
                cells.stream()
                        .map(cell ->
                                new Cell(
                                        cell.factors(),
                                        change.apply(cell.experiment()),
                                        cell.load(),
                                        cell.jvms()))
                        .toList();
        return new Matrix(name, text, repeat, factors, others);
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
