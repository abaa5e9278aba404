package wallfinder.report;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Quantile;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;
import wallfinder.record.StudyRecord;

/// The figures of a run, a rung or a cell that programs read. A figure that is not known is `NaN`.
///
/// @param name unique in its run
/// @param wall the id of a wall, `none`, or `unnamed`
/// @param text the verdict in words
/// @param perSecond good answers
/// @param p50Nanos of the response time, like the other percentiles
/// @param errorShare requests that failed, or waited in vain at the end, of all
record Finding(
        String name,
        String verdict,
        String wall,
        String text,
        double perSecond,
        double p50Nanos,
        double p99Nanos,
        double p999Nanos,
        double maxNanos,
        double errorShare) {

    static Finding of(Trial trial) {
        LoadOutcome load = trial.observation().load();
        Diagnosis diagnosis = trial.diagnosis();
        return new Finding(
                trial.name(),
                diagnosis.verdict().word(),
                diagnosis.wallId().orElse(diagnosis.verdict().word()),
                VerdictText.verdict(trial),
                load.countsRequests() ? load.throughput() : Double.NaN,
                Quantile.percentile(load.responseNanos(), 50),
                Quantile.percentile(load.responseNanos(), 99),
                Quantile.percentile(load.responseNanos(), 99.9),
                Quantile.percentile(load.responseNanos(), 100),
                load.failedShare());
    }

    /// With the rate that the pairs of a remedy measured, or with the capacity.
    static Finding of(int number, Rung rung, RunRecord run) {
        Finding trial = of(run.trials().get(rung.trial())).named("rung " + number);
        CapacityRecord capacity = rung.capacity();
        if (capacity != null) {
            return trial.ofCapacity(capacity.ratePerSecond());
        }
        Applied paired = rung.paired();
        return paired == null ? trial : trial.at(paired.before().perSecond());
    }

    /// With the medians of the cell, and the most frequent wall of its trials; null if none counts.
    static @Nullable Finding of(StudyRecord.Cell cell, RunRecord run) {
        StudyRecord.Figures figures = cell.figures();
        List<Finding> trials =
                run.trials().stream()
                        .filter(trial -> cell.trials().contains(trial.name()))
                        .map(Finding::of)
                        .toList();
        if (figures == null || trials.isEmpty()) {
            return null;
        }
        Map<String, Long> walls =
                trials.stream()
                        .collect(Collectors.groupingBy(Finding::wall, Collectors.counting()));
        Finding typical =
                Collections.max(trials, Comparator.comparing(one -> walls.get(one.wall())));
        return new Finding(
                name(cell),
                typical.verdict,
                typical.wall,
                typical.text,
                figures.perSecond(),
                figures.p50Nanos(),
                figures.p99Nanos(),
                Double.NaN,
                Double.NaN,
                figures.errorShare());
    }

    /// `jvm=17, backlog=128`.
    static String name(StudyRecord.Cell cell) {
        return cell.factors().isEmpty()
                ? "cell " + cell.number()
                : cell.factors().entrySet().stream()
                        .map(factor -> factor.getKey() + "=" + factor.getValue())
                        .collect(Collectors.joining(", "));
    }

    /// The finding for which the run stands: the first rung, the capacity, the best cell, or the
    /// last trial; null if nothing was measured, if no cell is the best, and for `fit`.
    static @Nullable Finding main(RunRecord run) {
        if (run.fit() != null || run.trials().isEmpty()) {
            return null;
        }
        if (!run.ladder().isEmpty()) {
            return of(1, run.ladder().getFirst(), run).named(run.name());
        }
        if (run.study() != null) {
            return best(run.study(), run);
        }
        CapacityRecord capacity = run.capacity();
        if (capacity != null) {
            Integer wall = capacity.wall();
            Trial above = wall == null ? run.trials().getLast() : run.trials().get(wall);
            return of(above).named(run.name()).ofCapacity(capacity.ratePerSecond());
        }
        Finding last = of(run.trials().getLast()).named(run.name());
        return run.kind().equals("capacity") ? last.ofCapacity(Double.NaN) : last;
    }

    /// The best cell of all loads comes last.
    private static @Nullable Finding best(StudyRecord study, RunRecord run) {
        if (study.cells().size() == 1) {
            return of(study.cells().getFirst(), run);
        }
        return study.best().isEmpty()
                ? null
                : of(study.cells().get(study.best().getLast().cell() - 1), run);
    }

    private Finding named(String other) {
        return new Finding(
                other,
                verdict,
                wall,
                text,
                perSecond,
                p50Nanos,
                p99Nanos,
                p999Nanos,
                maxNanos,
                errorShare);
    }

    /// As of a capacity.
    boolean hasOnlyRate() {
        return Double.isNaN(p99Nanos) && Double.isNaN(errorShare);
    }

    /// At this rate. The figures of the trial above it are not those of the capacity.
    Finding ofCapacity(double rate) {
        return new Finding(
                name,
                verdict,
                wall,
                text,
                rate,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }

    private Finding at(double rate) {
        return new Finding(
                name,
                verdict,
                wall,
                text,
                rate,
                p50Nanos,
                p99Nanos,
                p999Nanos,
                maxNanos,
                errorShare);
    }

    /// A figure for programs: a dot, no exponent; `absent` if it is not known.
    static String plain(double figure, String absent) {
        return Double.isFinite(figure)
                ? String.format(Locale.ROOT, "%.6f", figure).replaceFirst("\\.?0+$", "")
                : absent;
    }
}
