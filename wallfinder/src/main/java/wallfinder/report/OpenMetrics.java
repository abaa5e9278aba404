package wallfinder.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.record.CapacityRecord;
import wallfinder.record.Condition;
import wallfinder.record.FitRecord;
import wallfinder.record.Harmless;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;
import wallfinder.record.StudyRecord;
import wallfinder.record.WholeFile;

/// The last figures of a run in the text format OpenMetrics 1.0.
public final class OpenMetrics {
    private final StringBuilder text = new StringBuilder();
    private final RunRecord run;
    private final List<Trial> trials;
    private final List<Finding> findings = new ArrayList<>();

    private OpenMetrics(RunRecord run) {
        this.run = run;
        this.trials = trials(run);
        if (run.study() != null && run.fit() == null) {
            for (StudyRecord.Cell cell : run.study().cells()) {
                Finding finding = Finding.of(cell, run);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        } else if (run.capacity() != null) {
            ofCapacity();
        } else {
            trials.stream().map(Finding::of).forEach(findings::add);
        }
    }

    /// Those whose figures are the run's. Above a capacity the service is overloaded.
    private static List<Trial> trials(RunRecord run) {
        if (run.capacity() != null
                || run.study() != null
                || run.fit() != null
                || run.trials().isEmpty()) {
            return List.of();
        }
        return run.ladder().isEmpty()
                ? List.of(run.trials().getLast())
                : run.ladder().stream().map(rung -> run.trials().get(rung.trial())).toList();
    }

    /// The walls alone.
    private void ofCapacity() {
        for (int i = 0; i < run.ladder().size(); i++) {
            findings.add(Finding.of(i + 1, run.ladder().get(i), run).ofCapacity(Double.NaN));
        }
        Finding main = Finding.main(run);
        if (findings.isEmpty() && main != null) {
            findings.add(main.ofCapacity(Double.NaN));
        }
    }

    /// Writes a file that appears whole or not at all.
    public static void write(RunRecord run, Path path) throws IOException {
        byte[] bytes = text(run).getBytes(StandardCharsets.UTF_8);
        WholeFile.write(path, out -> out.write(bytes));
    }

    static String text(RunRecord run) {
        return new OpenMetrics(run).all();
    }

    private String all() {
        family("wallfinder_run", "info", "", "The command and its name.");
        sample(
                "wallfinder_run_info",
                labels("command", run.kind(), "name", run.name(), "started", run.startedAt()),
                1);
        family("wallfinder_wall", "info", "", "What each trial concluded.");
        for (Finding one : findings) {
            sample(
                    "wallfinder_wall_info",
                    labels("trial", one.name(), "verdict", one.verdict(), "wall", one.wall()),
                    1);
        }
        family("wallfinder_good_answers_per_second", "gauge", "", "Good answers a second.");
        for (Finding one : findings) {
            sample(
                    "wallfinder_good_answers_per_second",
                    labels("trial", one.name()),
                    one.perSecond());
        }
        family("wallfinder_failed_ratio", "gauge", "ratio", "Failed requests of all.");
        for (Finding one : findings) {
            sample("wallfinder_failed_ratio", labels("trial", one.name()), one.errorShare());
        }
        family("wallfinder_response_seconds", "summary", "seconds", "Response times.");
        if (trials.isEmpty()) {
            findings.forEach(this::percentiles);
        }
        trials.forEach(this::response);
        conditions();
        if (run.capacity() != null) {
            capacity(run.capacity());
        }
        if (run.fit() != null) {
            limits(run.fit());
        }
        return text.append("# EOF\n").toString();
    }

    private void percentiles(Finding of) {
        quantile(of.name(), "0.5", of.p50Nanos());
        quantile(of.name(), "0.99", of.p99Nanos());
    }

    private void response(Trial trial) {
        Histogram nanos = trial.observation().load().responseNanos();
        long count = nanos.getTotalCount();
        if (count == 0) {
            return;
        }
        Finding of = Finding.of(trial);
        percentiles(of);
        quantile(of.name(), "0.999", of.p999Nanos());
        quantile(of.name(), "1.0", of.maxNanos());
        String name = labels("trial", of.name());
        sample("wallfinder_response_seconds_count", name, count);
        sample("wallfinder_response_seconds_sum", name, nanos.getMean() * count / 1e9);
    }

    private void quantile(String trial, String quantile, double nanos) {
        String labels = labels("trial", trial, "quantile", quantile);
        sample("wallfinder_response_seconds", labels, nanos / 1e9);
    }

    private void conditions() {
        if (trials.stream().allMatch(trial -> trial.conditions().isEmpty())) {
            return;
        }
        family("wallfinder_objective_met", "gauge", "", "1 if a condition of the objective holds.");
        for (Trial trial : trials) {
            for (Condition condition : trial.conditions()) {
                sample(
                        "wallfinder_objective_met",
                        labels("trial", trial.name(), "condition", condition.asked()),
                        condition.met() ? 1 : 0);
            }
        }
    }

    private void capacity(CapacityRecord capacity) {
        String name = "wallfinder_capacity_per_second";
        family(name, "gauge", "", "The highest rate that holds the objective; its 95 % interval.");
        String objective = capacity.objective();
        sample(name, labels("objective", objective, "bound", "estimate"), capacity.ratePerSecond());
        sample(name, labels("objective", objective, "bound", "low"), capacity.low());
        sample(name, labels("objective", objective, "bound", "high"), capacity.high());
    }

    private void limits(FitRecord fit) {
        family(
                "wallfinder_memory_limit_bytes",
                "gauge",
                "bytes",
                "The smallest memory limit that meets the objective.");
        for (FitRecord.Candidate candidate : fit.candidates()) {
            limit(candidate.name(), "warm", candidate.warm());
            limit(candidate.name(), "cold", candidate.cold());
        }
    }

    private void limit(String candidate, String cache, FitRecord.@Nullable Limit limit) {
        if (limit != null && limit.found()) {
            sample(
                    "wallfinder_memory_limit_bytes",
                    labels("candidate", candidate, "cache", cache),
                    limit.bytes());
        }
    }

    private void family(String name, String type, String unit, String help) {
        text.append("# TYPE %s %s\n".formatted(name, type));
        if (!unit.isEmpty()) {
            text.append("# UNIT %s %s\n".formatted(name, unit));
        }
        text.append("# HELP %s %s\n".formatted(name, help));
    }

    /// A figure that is not known has no sample.
    private void sample(String name, String labels, double value) {
        if (!Double.isNaN(value)) {
            String figure = Double.isInfinite(value) ? "+Inf" : Finding.plain(value, "");
            text.append("%s{%s} %s\n".formatted(name, labels, figure));
        }
    }

    /// @param pairs names and values in turn
    private static String labels(String... pairs) {
        List<String> labels = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            labels.add("%s=\"%s\"".formatted(pairs[i], escaped(pairs[i + 1])));
        }
        return String.join(",", labels);
    }

    private static String escaped(String raw) {
        return Harmless.line(raw).replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
