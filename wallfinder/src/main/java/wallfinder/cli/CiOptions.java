package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRunJson;
import wallfinder.report.Baseline;
import wallfinder.report.CsvLog;
import wallfinder.report.JUnitXml;
import wallfinder.report.OpenMetrics;

/// Results for CI servers and for programs that watch figures over time.
final class CiOptions {
    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description = "Also write the result to FILE as JUnit XML.")
    @Nullable Path junit;

    @Option(
            names = "--github",
            description =
                    "Also print the result as annotations of GitHub Actions, and append it to the"
                            + " summary of the job.")
    boolean github;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description =
                    "Also append a row to FILE, in which programs such as Apache Otava find changes.")
    @Nullable Path csv;

    @Option(
            names = "--openmetrics",
            paramLabel = "FILE",
            description = "Also write the last figures to FILE in the text format OpenMetrics.")
    @Nullable Path openMetrics;

    @Option(
            names = "--baseline",
            paramLabel = "RUN",
            description =
                    "With --github or --junit: compare the wall with that of RUN, the folder of an"
                            + " earlier run of the same command, or its run.json.")
    @Nullable Path baseline;

    private @Nullable StoredRun before;
    private @Nullable GitHub hub;

    /// Finds what would fail at the end, before anything is measured.
    ///
    /// @param command such as `load`
    void check(String command, Map<String, String> environment) {
        FileOptions.checkWritable("--junit", junit);
        FileOptions.checkWritable("--csv", csv);
        FileOptions.checkWritable("--openmetrics", openMetrics);
        if (csv != null) {
            checkCsv(csv);
        }
        if (github) {
            hub = GitHub.of(environment);
        }
        if (baseline != null) {
            before = baseline(baseline, command);
        }
    }

    private static void checkCsv(Path file) {
        try {
            CsvLog.check(file);
        } catch (IOException e) {
            throw new UsageException(
                    "--csv " + file + " cannot be read", e.toString(), "name another file");
        }
    }

    /// @throws UsageException if the command has more than one result
    void refuseSeveral(int results, String what) {
        if (csv != null && results > 1) {
            throw new UsageException(
                    "--csv " + csv + " cannot be used here",
                    "the file has one row for each run, and this run has %d %s"
                            .formatted(results, what),
                    "leave --csv out, or measure each in a run and a file of its own");
        }
    }

    private StoredRun baseline(Path run, String command) {
        if (!github && junit == null) {
            throw new UsageException(
                    "--baseline " + run + " cannot be used alone",
                    "the comparison is a part of what --github and --junit write",
                    "add one of them, or use `wallfinder compare`");
        }
        if (List.of("run", "fit", "profile").contains(command)) {
            throw new UsageException(
                    "--baseline " + run + " cannot be used with " + command,
                    "it compares one wall or one ladder",
                    "use `wallfinder compare`, which compares all results of two runs");
        }
        StoredRun stored = StoredRunJson.read(run);
        Baseline.check(stored, command);
        return stored;
    }

    /// Nothing that the run prints from here on is a command to the runner of GitHub.
    void begin() {
        if (hub != null) {
            hub.stopCommands();
        }
    }

    /// Writes all files, even if one of them cannot be written.
    void write(RunRecord run, Outcome outcome, Path folder) throws IOException {
        Baseline compared =
                before == null || run.trials().isEmpty() ? null : Baseline.of(before, run);
        List<Content> files = new ArrayList<>();
        if (hub != null) {
            GitHub there = hub;
            files.add(() -> there.write(run, outcome, compared, folder));
        }
        if (junit != null) {
            Path file = junit;
            List<String> notes = compared == null ? List.of() : List.of(compared.text());
            files.add(() -> JUnitXml.write(run, outcome, notes, file));
        }
        if (openMetrics != null) {
            Path file = openMetrics;
            files.add(() -> OpenMetrics.write(run, file));
        }
        if (csv != null) {
            Path file = csv;
            files.add(() -> append(run, outcome, file));
        }
        writeAll(files);
    }

    /// A file that is written.
    private interface Content {
        void write() throws IOException;
    }

    private static void writeAll(List<Content> files) throws IOException {
        IOException first = null;
        for (Content file : files) {
            try {
                file.write();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static void append(RunRecord run, Outcome outcome, Path file) throws IOException {
        String why = CsvLog.append(run, outcome, revision(System.getenv()), file);
        if (why != null) {
            System.err.println("--csv " + file + " gets no row: " + why);
        }
    }

    /// What GitHub Actions, GitLab CI and Jenkins call the commit and its branch.
    private static CsvLog.Revision revision(Map<String, String> environment) {
        return new CsvLog.Revision(
                first(environment, "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"),
                first(environment, "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "GIT_BRANCH"));
    }

    private static String first(Map<String, String> environment, String... names) {
        for (String name : names) {
            String value = environment.getOrDefault(name, "");
            if (!value.isEmpty()) {
                return value;
            }
        }
        return "";
    }
}
