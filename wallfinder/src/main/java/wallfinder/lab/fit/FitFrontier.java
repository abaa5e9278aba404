package wallfinder.lab.fit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.FitPlan;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.Setting;
import wallfinder.lab.session.RunContext;
import wallfinder.record.FitRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// Memory against throughput: each candidate at its smallest limit and, if that is below the first
/// candidate's smallest limit, at some limits in between. All are measured in interleaved rounds.
final class FitFrontier {
    static final String FOLDER = "frontier";

    /// The name of the matrix's factor.
    private static final String FACTOR = "at";

    /// The most limits of a candidate, from its smallest limit towards the first candidate's.
    private static final int LIMITS_MAX = 3;

    /// A candidate below this ratio is slower than the first one.
    private static final double AS_FAST = 0.95;

    private final FitPlan plan;
    private final List<Point> points = new ArrayList<>();

    /// A candidate at a limit.
    private record Point(FitCandidate candidate, long bytes) {
        String label() {
            return candidate.name + " at " + Quantity.bytesText(bytes);
        }
    }

    /// @param candidates with a smallest limit; the others are compared with the first one
    FitFrontier(FitPlan plan, List<FitCandidate> candidates) {
        this.plan = plan;
        long first = smallest(candidates.getFirst());
        for (FitCandidate candidate : candidates) {
            for (long bytes : limits(smallest(candidate), first)) {
                points.add(new Point(candidate, bytes));
            }
        }
    }

    private static long smallest(FitCandidate candidate) {
        return Objects.requireNonNull(candidate.warm).smallest();
    }

    private Set<Long> limits(long smallest, long first) {
        Set<Long> limits = new TreeSet<>(Set.of(smallest));
        for (int i = 1; i < LIMITS_MAX; i++) {
            long limit =
                    smallest
                            + (first - smallest)
                                    * i
                                    / LIMITS_MAX
                                    / plan.stepBytes()
                                    * plan.stepBytes();
            if (limit > smallest && limit < first) {
                limits.add(limit);
            }
        }
        return limits;
    }

    /// The matrix of a study in which each point is a cell.
    Matrix matrix() {
        List<Matrix.Cell> cells = new ArrayList<>();
        for (Point point : points) {
            Experiment experiment =
                    point.candidate()
                            .experiment
                            .with(
                                    new Setting.OfLimit(plan.service(), Limits.Kind.MEMORY),
                                    Quantity.bytesText(point.bytes()));
            cells.add(
                    new Matrix.Cell(
                            Map.of(FACTOR, point.label()), experiment, "", point.candidate().jvms));
        }
        Matrix.Factor factor =
                new Matrix.Factor(FACTOR, points.stream().map(Point::label).toList());
        return new Matrix(plan.name(), plan.text(), plan.repeat(), List.of(factor), cells);
    }

    static RunContext context(RunContext run) {
        Path folder = run.folder().resolve(FOLDER);
        return new RunContext(
                run.home(), run.lock(), folder, run.engine(), run.interruption(), run.progress());
    }

    /// The smallest limit at which a candidate was as fast as the first one at its smallest limit,
    /// and met the objective in each trial. Null if the first one was not measured.
    FitRecord.@Nullable Headline headline(StudyRecord study, List<RunRecord.Trial> trials) {
        Point first = points.getFirst();
        Optional<StudyRecord.Cell> least =
                study.cells().stream()
                        .filter(cell -> asFast(cell) && alwaysMet(cell, trials))
                        .min(Comparator.comparingLong(cell -> bytes(cell)));
        if (least.isPresent() && bytes(least.get()) < first.bytes()) {
            Point point = points.get(least.get().number() - 1);
            RatioInterval ratio = Objects.requireNonNull(least.get().against()).throughput();
            return new FitRecord.Headline(
                    point.candidate().name, point.bytes(), first.bytes(), ratio);
        }
        return study.cells().getFirst().counts()
                ? new FitRecord.Headline(first.candidate().name, first.bytes(), first.bytes(), null)
                : null;
    }

    private long bytes(StudyRecord.Cell cell) {
        return points.get(cell.number() - 1).bytes();
    }

    static boolean asFast(StudyRecord.Cell cell) {
        StudyRecord.Against against = cell.against();
        // Without a valid trial of the first one, another one takes its place.
        if (against == null || against.cell() != 1) {
            return false;
        }
        RatioInterval ratio = against.throughput();
        return ratio != null && ratio.low() >= AS_FAST;
    }

    /// Whether the service survived each trial there, and met the objective: one that misses it now
    /// and then needs more memory.
    static boolean alwaysMet(StudyRecord.Cell cell, List<RunRecord.Trial> trials) {
        return cell.failed() == 0
                && trials.stream()
                        .filter(trial -> cell.trials().contains(trial.name()))
                        .noneMatch(trial -> Boolean.FALSE.equals(trial.objectiveMet()));
    }
}
