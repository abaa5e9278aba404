package wallfinder.lab.study;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Matrix;
import wallfinder.observation.Quantile;
import wallfinder.record.StudyRecord;

/// Computes the results of a study from its trials. Trials in which the generator was the wall show
/// nothing about their cell: they are counted, but left out of every comparison.
final class StudyFigures {
    private static final double MICROS = 1e6;

    /// A cell with a larger share of errors cannot be the best.
    private static final double ERROR_SHARE_MAX = 0.01;

    private final Matrix matrix;
    private final List<CellTrials> cells = new ArrayList<>();

    /// @param load the number of the cell's load
    /// @param valid by round
    private record CellTrials(
            Matrix.Cell cell,
            int number,
            int load,
            Map<Integer, TrialFigures> valid,
            List<TrialFigures> invalid,
            List<String> failures,
            @Nullable String skipped) {}

    /// @param skipped why cells were left out, by the cell's number
    StudyFigures(Matrix matrix, List<TrialFigures.Kept> measured, Map<Integer, String> skipped) {
        this.matrix = matrix;
        List<String> loads = new ArrayList<>();
        for (int number = 1; number <= matrix.cells().size(); number++) {
            Matrix.Cell cell = matrix.cells().get(number - 1);
            String load = cell.load();
            if (!loads.contains(load)) {
                loads.add(load);
            }
            cells.add(
                    new CellTrials(
                            cell,
                            number,
                            loads.indexOf(load) + 1,
                            new TreeMap<>(),
                            new ArrayList<>(),
                            new ArrayList<>(),
                            skipped.get(number)));
        }
        measured.forEach(this::add);
    }

    private void add(TrialFigures.Kept kept) {
        CellTrials cell = cells.get(kept.cell() - 1);
        if (kept.failure() != null) {
            cell.failures().add(kept.failure());
        } else if (kept.figures().spoilt()) {
            cell.invalid().add(kept.figures());
        } else {
            cell.valid().put(kept.slot().round(), kept.figures());
        }
    }

    StudyRecord study() {
        List<StudyRecord.Cell> results = cells.stream().map(this::cell).toList();
        int loads = cells.stream().mapToInt(CellTrials::load).max().orElse(1);
        return new StudyRecord(
                matrix.repeat(),
                matrix.factors().stream().map(this::factor).toList(),
                results,
                loads,
                new StudyEffects(matrix, this::pairs).all(),
                best(results, loads));
    }

    private StudyRecord.Factor factor(Matrix.Factor factor) {
        boolean changes = false;
        for (CellTrials cell : cells) {
            Map<String, String> others = new TreeMap<>(cell.cell().factors());
            others.remove(factor.name());
            for (CellTrials other : cells) {
                changes |=
                        other.load() != cell.load()
                                && other.cell().factors().entrySet().containsAll(others.entrySet());
            }
        }
        return new StudyRecord.Factor(factor.name(), factor.values(), factor.isNumber(), changes);
    }

    private StudyRecord.Cell cell(CellTrials of) {
        Collection<TrialFigures> counted = of.valid().values();
        boolean none = counted.isEmpty();
        return new StudyRecord.Cell(
                of.number(),
                of.cell().factors(),
                of.load(),
                counted.stream().map(TrialFigures::name).toList(),
                of.invalid().size(),
                of.failures().size(),
                of.skipped() != null
                        ? "skipped: " + of.skipped()
                        : of.failures().isEmpty() ? null : of.failures().getLast(),
                figures(List.copyOf(none ? of.invalid() : counted)),
                against(of),
                verdicts(none ? of.invalid() : counted),
                objectiveMet(of));
    }

    private static @Nullable Boolean objectiveMet(CellTrials of) {
        if (of.cell().experiment().objective() == null || of.skipped() != null) {
            return null;
        }
        long met =
                of.valid().values().stream()
                        .filter(trial -> Boolean.TRUE.equals(trial.objectiveMet()))
                        .count();
        // A service that fails to start misses its objective; a busy generator shows nothing.
        int judged = of.valid().size() + of.failures().size();
        return judged == 0 ? null : 2 * met > judged;
    }

    private static StudyRecord.@Nullable Figures figures(List<TrialFigures> of) {
        if (of.isEmpty()) {
            return null;
        }
        double[] rates = of.stream().mapToDouble(TrialFigures::perSecond).toArray();
        double[] divided = of.stream().mapToDouble(TrialFigures::divided).toArray();
        long answered = of.stream().mapToLong(TrialFigures::answered).sum();
        double cpu = of.stream().mapToDouble(TrialFigures::cpuSeconds).sum();
        return new StudyRecord.Figures(
                Quantile.median(rates),
                Pairs.spread(divided),
                median(of, TrialFigures::p50Nanos),
                median(of, TrialFigures::p99Nanos),
                of.stream().mapToDouble(TrialFigures::seconds).sum(),
                answered,
                errors(of),
                answered == 0 ? Double.NaN : MICROS * cpu / answered,
                median(of, TrialFigures::startSeconds),
                median(of, TrialFigures::rssBytes),
                median(of, TrialFigures::heapBytes),
                held(of));
    }

    private static StudyRecord.@Nullable Held held(List<TrialFigures> of) {
        List<StudyRecord.Held> held =
                of.stream().map(TrialFigures::held).filter(Objects::nonNull).toList();
        return held.isEmpty()
                ? null
                : new StudyRecord.Held(
                        median(held, StudyRecord.Held::connections),
                        median(held, StudyRecord.Held::alive),
                        median(held, StudyRecord.Held::connectsPerSecond),
                        median(held, StudyRecord.Held::userBytes),
                        median(held, StudyRecord.Held::kernelBytes));
    }

    /// Null if a trial's errors are unknown.
    private static @Nullable Long errors(List<TrialFigures> of) {
        List<Long> known = of.stream().map(TrialFigures::errors).filter(Objects::nonNull).toList();
        return known.size() < of.size() ? null : known.stream().mapToLong(Long::longValue).sum();
    }

    private static <T> double median(List<T> of, ToDoubleFunction<T> figure) {
        return Quantile.median(of.stream().mapToDouble(figure).toArray());
    }

    private static List<StudyRecord.Verdicts> verdicts(Collection<TrialFigures> of) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        of.forEach(trial -> counts.merge(trial.verdict(), 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(count -> new StudyRecord.Verdicts(count.getKey(), count.getValue()))
                .toList();
    }

    /// The comparison with the first measured cell of the same load.
    private StudyRecord.@Nullable Against against(CellTrials of) {
        CellTrials first =
                cells.stream()
                        .filter(cell -> cell.load() == of.load() && !cell.valid().isEmpty())
                        .findFirst()
                        .orElse(null);
        if (first == null || first.number() == of.number() || of.valid().isEmpty()) {
            return null;
        }
        Pairs pairs = pairs(first.number(), of.number());
        return new StudyRecord.Against(
                first.number(), pairs.throughput(), pairs.p99(), pairs.connects());
    }

    /// The trials of two cells, round by round.
    private Pairs pairs(int before, int after) {
        Map<Integer, TrialFigures> others = cells.get(after - 1).valid();
        List<TrialFigures> left = new ArrayList<>();
        List<TrialFigures> right = new ArrayList<>();
        cells.get(before - 1)
                .valid()
                .forEach((round, trial) -> {
                    TrialFigures other = others.get(round);
                    if (other != null) {
                        left.add(trial);
                        right.add(other);
                    }
                });
        return new Pairs(left, right);
    }

    /// The best cell of each load with several cells, and of all if there are several loads.
    private List<StudyRecord.Best> best(List<StudyRecord.Cell> results, int loads) {
        List<StudyRecord.Best> best = new ArrayList<>();
        for (int load = 1; load <= loads; load++) {
            int same = load;
            List<StudyRecord.Cell> of = results.stream().filter(c -> c.load() == same).toList();
            if (of.size() > 1) {
                best(load, of).ifPresent(best::add);
            }
        }
        if (loads > 1) {
            fastest(results)
                    .map(cell -> new StudyRecord.Best(0, cell.number(), List.of()))
                    .ifPresent(best::add);
        }
        return List.copyOf(best);
    }

    /// Of the cells that are as fast as the fastest, the one with the shortest tail.
    private Optional<StudyRecord.Best> best(int load, List<StudyRecord.Cell> of) {
        return fastest(of)
                .map(fastest -> {
                    int chosen = fastest.number();
                    List<StudyRecord.Cell> asFast =
                            eligible(of).stream()
                                    .filter(cell -> asFast(fastest.number(), cell.number()))
                                    .sorted(Comparator.comparingDouble(StudyFigures::p99))
                                    .toList();
                    if (!asFast.isEmpty() && !sameTail(chosen, asFast.getFirst().number())) {
                        chosen = asFast.getFirst().number();
                    }
                    int best = chosen;
                    List<Integer> alike =
                            asFast.stream()
                                    .map(StudyRecord.Cell::number)
                                    .filter(cell -> cell != best && sameTail(best, cell))
                                    .sorted()
                                    .toList();
                    return new StudyRecord.Best(load, best, alike);
                });
    }

    private static double p99(StudyRecord.Cell cell) {
        return cell.figures() == null ? Double.NaN : cell.figures().p99Nanos();
    }

    /// False if there are too few trials to compare the cells.
    private boolean asFast(int cell, int other) {
        RatioInterval ratio = pairs(cell, other).speed();
        return cell == other || (ratio != null && none(ratio));
    }

    /// True if the tails are unknown, as with a load command: then the rate alone decides.
    private boolean sameTail(int cell, int other) {
        RatioInterval ratio = pairs(cell, other).p99();
        return cell == other || ratio == null || none(ratio);
    }

    private static boolean none(RatioInterval ratio) {
        return ratio.effect() == RatioInterval.Effect.NONE;
    }

    private static Optional<StudyRecord.Cell> fastest(List<StudyRecord.Cell> of) {
        return eligible(of).stream().max(Comparator.comparingDouble(c -> speed(c)));
    }

    /// The usable cells that meet the objective, or all usable ones if none meets it.
    private static List<StudyRecord.Cell> eligible(List<StudyRecord.Cell> of) {
        List<StudyRecord.Cell> usable = of.stream().filter(StudyFigures::usable).toList();
        List<StudyRecord.Cell> meeting =
                usable.stream().filter(c -> !Boolean.FALSE.equals(c.objectiveMet())).toList();
        return meeting.isEmpty() ? usable : meeting;
    }

    private static double speed(StudyRecord.Cell cell) {
        StudyRecord.Figures figures = cell.figures();
        return figures == null
                ? Double.NaN
                : figures.held() == null ? figures.perSecond() : figures.held().connectsPerSecond();
    }

    /// Whether the cell gives answers with few enough errors.
    private static boolean usable(StudyRecord.Cell cell) {
        StudyRecord.Figures figures = cell.figures();
        if (figures != null && figures.held() != null) {
            StudyRecord.Held held = figures.held();
            return cell.counts() && held.alive() >= (1 - ERROR_SHARE_MAX) * held.connections();
        }
        return cell.counts()
                && figures != null
                && figures.perSecond() > 0
                && !(figures.errorShare() > ERROR_SHARE_MAX);
    }
}
