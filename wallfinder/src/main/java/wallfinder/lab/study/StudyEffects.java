package wallfinder.lab.study;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wallfinder.experiment.Matrix;
import wallfinder.record.StudyRecord;

/// Compares each value of a factor with its first value, with all other factors equal.
record StudyEffects(Matrix matrix, Comparison comparison) {
    /// The trials of two cells, pair by pair.
    interface Comparison {
        /// @param before the number of the first cell
        /// @param after the number of the other cell
        Pairs pairs(int before, int after);
    }

    List<StudyRecord.Effect> all() {
        List<StudyRecord.Effect> effects = new ArrayList<>();
        for (Matrix.Factor factor : matrix.factors()) {
            String from = factor.values().getFirst();
            for (String to : factor.values().subList(1, factor.values().size())) {
                effects.add(effect(factor.name(), from, to));
            }
        }
        return List.copyOf(effects);
    }

    private StudyRecord.Effect effect(String factor, String from, String to) {
        List<Pairs> all = new ArrayList<>();
        List<StudyRecord.Where> where = new ArrayList<>();
        for (int number = 1; number <= matrix.cells().size(); number++) {
            Matrix.Cell cell = matrix.cells().get(number - 1);
            if (from.equals(cell.factors().get(factor))) {
                Map<String, String> changed = new LinkedHashMap<>(cell.factors());
                changed.put(factor, to);
                Pairs pairs = comparison.pairs(number, number(changed));
                all.add(pairs);
                changed.remove(factor);
                where.add(
                        new StudyRecord.Where(
                                Matrix.describe(changed), pairs.throughput(), pairs.p99()));
            }
        }
        Pairs together = Pairs.all(all);
        return new StudyRecord.Effect(
                factor,
                from,
                to,
                together.throughput(),
                together.p99(),
                together.connects(),
                where.size() > 1 ? List.copyOf(where) : List.of());
    }

    private int number(Map<String, String> factors) {
        for (int number = 1; number <= matrix.cells().size(); number++) {
            if (matrix.cells().get(number - 1).factors().equals(factors)) {
                return number;
            }
        }
        throw new IllegalStateException("no cell with " + factors);
    }
}
