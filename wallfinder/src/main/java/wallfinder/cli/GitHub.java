package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.report.Baseline;
import wallfinder.report.GitHubAnnotations;
import wallfinder.report.GitHubOutputs;
import wallfinder.report.GitHubSummary;

/// The step of GitHub Actions in which this program runs.
///
/// @param summary a file of Markdown
/// @param outputs a file of the step's outputs, or null
/// @param token ends a part of the output in which no line is a command
record GitHub(Path summary, @Nullable Path outputs, String token) {
    private static final String SUMMARY = "GITHUB_STEP_SUMMARY";
    private static final String OUTPUT = "GITHUB_OUTPUT";

    /// @throws EnvironmentException outside of a step, or if its files cannot be written
    static GitHub of(Map<String, String> environment) {
        String summary = environment.getOrDefault(SUMMARY, "");
        if (summary.isEmpty()) {
            throw new EnvironmentException(
                    "--github cannot be used here",
                    "the variable " + SUMMARY + " is not set: this is no step of GitHub Actions",
                    "leave --github out, or set the variable to the file that gets the summary");
        }
        FileOptions.checkWritable("--github: " + SUMMARY, Path.of(summary));
        String outputs = environment.getOrDefault(OUTPUT, "");
        if (!outputs.isEmpty()) {
            FileOptions.checkWritable("--github: " + OUTPUT, Path.of(outputs));
        }
        return new GitHub(
                Path.of(summary),
                outputs.isEmpty() ? null : Path.of(outputs),
                UUID.randomUUID().toString());
    }

    /// The names in an experiment and the logs of its services could be commands.
    void stopCommands() {
        System.out.println("::stop-commands::" + token);
        System.out.flush();
    }

    void write(RunRecord run, Outcome outcome, @Nullable Baseline compared, Path folder)
            throws IOException {
        System.out.println("::" + token + "::");
        System.out.print(GitHubAnnotations.text(run, outcome, compared));
        System.out.flush();
        append(summary, GitHubSummary.markdown(run, outcome, compared, folder.toString()));
        if (outputs != null) {
            append(outputs, GitHubOutputs.text(run, folder.toString()));
        }
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
