package wallfinder.lab;

import java.util.ArrayList;
import java.util.Arrays;
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
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Matrix;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.report.RunRecord;
import wallfinder.report.StudyRecord;

/// What the trials of a study come to. Trials in which the generator was the wall say nothing about
/// their cell: they are counted, and left out of every comparison.
final class StudyFigures {
    private static final double MICROS = 1e6;

    /// What fails more often is not the best, however fast it fails.
    private static final double ERROR_SHARE_MAX = 0.01;

    private final Matrix matrix;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final List<CellTrials> cells = new ArrayList<>();

    /// The trials of one cell.
    ///
    /// @param load which of the different loads it has
    /// @param valid by round
    private record CellTrials(
            Matrix.Cell cell,
            int number,
            int load,
            Map<Integer, RunRecord.Trial> valid,
            List<RunRecord.Trial> invalid,
            List<String> failures,
            @Nullable String skipped) {}

    /// @param skipped why cells were left out, by their numbers
    StudyFigures(Matrix matrix, List<StudyTrial> measured, Map<Integer, String> skipped) {
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

    private void add(StudyTrial kept) {
        CellTrials cell = cells.get(kept.cell() - 1);
        RunRecord.Trial trial = kept.trial();
        if (trial == null) {
            cell.failures().add(Objects.requireNonNull(kept.failure()));
            return;
        }
        trials.add(trial);
        if (spoilt(trial)) {
            cell.invalid().add(trial);
        } else {
            cell.valid().put(kept.round(), trial);
        }
    }

    /// Whether its figures are the generator's: it was the wall, or something else took its CPU.
    private static boolean spoilt(RunRecord.Trial trial) {
        return trial.invalid() || LoadGenerator.starved(trial.observation().load());
    }

    /// All that was measured, in its order.
    List<RunRecord.Trial> trials() {
        return List.copyOf(trials);
    }

    StudyRecord study() {
        List<StudyRecord.Cell> told = cells.stream().map(this::cell).toList();
        int loads = cells.stream().mapToInt(CellTrials::load).max().orElse(1);
        return new StudyRecord(
                matrix.repeat(),
                matrix.factors().stream().map(this::factor).toList(),
                told,
                loads,
                new StudyEffects(matrix, this::pairs).all(),
                best(told, loads));
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
        Collection<RunRecord.Trial> counted = of.valid().values();
        boolean none = counted.isEmpty();
        return new StudyRecord.Cell(
                of.number(),
                of.cell().factors(),
                of.load(),
                counted.stream().map(RunRecord.Trial::name).toList(),
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
        if (of.valid().isEmpty()) {
            // A service that does not start meets nothing; of one that the generator held up
            // nothing is known.
            return of.failures().isEmpty() ? null : Boolean.FALSE;
        }
        return 2 * met > of.valid().size();
    }

    private static StudyRecord.@Nullable Figures figures(List<RunRecord.Trial> of) {
        if (of.isEmpty()) {
            return null;
        }
        List<LoadOutcome> loads = of.stream().map(t -> t.observation().load()).toList();
        double[] rates = loads.stream().mapToDouble(Pairs::rate).toArray();
        long answered = loads.stream().mapToLong(LoadOutcome::answered).sum();
        double cpu =
                of.stream()
                        .mapToDouble(t -> ofServices(t.observation(), "cpu", Series::growth))
                        .sum();
        return new StudyRecord.Figures(
                median(rates),
                Pairs.spread(rates),
                median(loads.stream().mapToDouble(load -> Pairs.percentile(load, 50)).toArray()),
                median(loads.stream().mapToDouble(load -> Pairs.percentile(load, 99)).toArray()),
                loads.stream().mapToDouble(LoadOutcome::seconds).sum(),
                answered,
                errors(loads),
                answered == 0 ? Double.NaN : MICROS * cpu / answered,
                median(of.stream().mapToDouble(StudyFigures::startSeconds).toArray()),
                median(
                        of.stream()
                                .mapToDouble(t -> ofServices(t.observation(), "rss", Series::max))
                                .toArray()));
    }

    /// 4xx and 5xx included; null if a command does not tell them.
    private static @Nullable Long errors(List<LoadOutcome> loads) {
        return loads.stream().allMatch(LoadOutcome::tellsErrors)
                ? loads.stream()
                        .flatMap(load -> load.errors().values().stream())
                        .mapToLong(Long::longValue)
                        .sum()
                : null;
    }

    private static double startSeconds(RunRecord.Trial trial) {
        return Double.parseDouble(trial.factors().getOrDefault(RunRecord.START_SECONDS, "NaN"));
    }

    /// A figure of the services' processes, all together; `NaN` if that was not seen.
    private static double ofServices(
            Observation observation, String what, ToDoubleFunction<Series> figure) {
        List<String> services =
                observation.facts().services().stream()
                        .map(SandboxFacts.ServiceFacts::name)
                        .filter(name -> !name.equals(LoadSpec.Command.NAME))
                        .toList();
        double sum = services.isEmpty() ? Double.NaN : 0;
        for (String name : services) {
            sum +=
                    observation
                            .timeline()
                            .find(Names.process(name, what), End.SERVER)
                            .map(figure::applyAsDouble)
                            .orElse(Double.NaN);
        }
        return sum;
    }

    private static double median(double[] values) {
        double[] sorted = Arrays.stream(values).filter(v -> !Double.isNaN(v)).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length == 0
                ? Double.NaN
                : sorted.length % 2 == 1
                        ? sorted[middle]
                        : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static List<StudyRecord.Verdicts> verdicts(Collection<RunRecord.Trial> of) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        of.forEach(trial -> counts.merge(told(trial), 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(count -> new StudyRecord.Verdicts(count.getKey(), count.getValue()))
                .toList();
    }

    private static String told(RunRecord.Trial trial) {
        Judgement.Binds binds = trial.diagnosis().headline();
        if (spoilt(trial)) {
            return Verdict.INVALID.word();
        }
        if (binds == null) {
            return trial.diagnosis().verdict().word();
        }
        String harm =
                binds.harm() == null
                        ? ""
                        : ", "
                                + switch (binds.harm()) {
                                    case ERRORS -> "errors";
                                    case THROUGHPUT -> "throughput";
                                    case LATENCY -> "latency";
                                };
        return binds.wall().id() + ", " + binds.end().word() + harm;
    }

    /// Against the first cell of the same load that was measured.
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
        return new StudyRecord.Against(first.number(), pairs.throughput(), pairs.p99());
    }

    /// The trials of two cells, round by round.
    private Pairs pairs(int before, int after) {
        Map<Integer, RunRecord.Trial> others = cells.get(after - 1).valid();
        List<LoadOutcome> left = new ArrayList<>();
        List<LoadOutcome> right = new ArrayList<>();
        cells.get(before - 1)
                .valid()
                .forEach((round, trial) -> {
                    RunRecord.Trial other = others.get(round);
                    if (other != null) {
                        left.add(trial.observation().load());
                        right.add(other.observation().load());
                    }
                });
        return new Pairs(left, right);
    }

    /// The best of each load that several cells have, and of all where there are several loads.
    private List<StudyRecord.Best> best(List<StudyRecord.Cell> told, int loads) {
        List<StudyRecord.Best> best = new ArrayList<>();
        for (int load = 1; load <= loads; load++) {
            int same = load;
            List<StudyRecord.Cell> of = told.stream().filter(c -> c.load() == same).toList();
            if (of.size() > 1) {
                best(load, of).ifPresent(best::add);
            }
        }
        if (loads > 1) {
            fastest(told)
                    .map(cell -> new StudyRecord.Best(0, cell.number(), List.of()))
                    .ifPresent(best::add);
        }
        return List.copyOf(best);
    }

    /// Of those that are as fast as the fastest, the one with the shortest tail.
    private Optional<StudyRecord.Best> best(int load, List<StudyRecord.Cell> of) {
        return fastest(of)
                .map(fastest -> {
                    int chosen = fastest.number();
                    List<StudyRecord.Cell> asFast =
                            of.stream()
                                    .filter(cell ->
                                            usable(cell) && asFast(fastest.number(), cell.number()))
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

    /// Where too little was measured to compare two cells, nothing is said of them.
    private boolean asFast(int cell, int other) {
        RatioInterval ratio = pairs(cell, other).throughput();
        return cell == other || (ratio != null && none(ratio));
    }

    /// Where no tails are known, as of a load command, the rate decides alone.
    private boolean sameTail(int cell, int other) {
        RatioInterval ratio = pairs(cell, other).p99();
        return cell == other || ratio == null || none(ratio);
    }

    private static boolean none(RatioInterval ratio) {
        return ratio.effect() == RatioInterval.Effect.NONE;
    }

    /// Of the cells that meet the objective, or of all if none does.
    private static Optional<StudyRecord.Cell> fastest(List<StudyRecord.Cell> of) {
        List<StudyRecord.Cell> usable = of.stream().filter(StudyFigures::usable).toList();
        List<StudyRecord.Cell> meeting =
                usable.stream().filter(c -> !Boolean.FALSE.equals(c.objectiveMet())).toList();
        return (meeting.isEmpty() ? usable : meeting)
                .stream().max(Comparator.comparingDouble(c -> perSecond(c)));
    }

    private static double perSecond(StudyRecord.Cell cell) {
        return cell.figures() == null ? Double.NaN : cell.figures().perSecond();
    }

    /// Whether it answers, and not only with errors.
    private static boolean usable(StudyRecord.Cell cell) {
        StudyRecord.Figures figures = cell.figures();
        return cell.counts()
                && figures != null
                && figures.perSecond() > 0
                && (figures.errors() == null
                        || figures.errors() <= ERROR_SHARE_MAX * figures.requests());
    }
}
