package wallfinder.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.LatencyLog;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.record.SeriesCsv;
import wallfinder.record.WholeFile;

/// The files of a run.
public final class RunFolder {
    public static final String RUN_JSON = "run.json";
    public static final String SERIES_CSV = "series.csv";
    public static final String LATENCY_HLOG = "latency.hlog";
    public static final String REPORT_HTML = "report.html";
    public static final String EXPERIMENT_YAML = "experiment.yaml";

    private RunFolder() {}

    /// Writes all files of a run, `run.json` first. Each file appears whole or not at all.
    public static void write(RunRecord run, Path folder) throws IOException {
        Files.createDirectories(folder);
        RunJson.write(run, folder.resolve(RUN_JSON));
        String experiment = run.experiment();
        if (experiment != null) {
            byte[] yaml = experiment.getBytes(StandardCharsets.UTF_8);
            WholeFile.write(folder.resolve(EXPERIMENT_YAML), out -> out.write(yaml));
        }
        if (hasTimes(run)) {
            LatencyLog.write(run, folder.resolve(LATENCY_HLOG));
        }
        SeriesCsv.write(run, folder.resolve(SERIES_CSV));
        Page.write(run, folder.resolve(REPORT_HTML));
    }

    /// Whether the response times of a load were measured.
    static boolean hasTimes(RunRecord run) {
        return run.trials().stream()
                .anyMatch(trial -> !(trial.observation().load() instanceof LoadOutcome.Unseen));
    }
}
