package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import wallfinder.lab.compare.Compare;
import wallfinder.record.Comparison;
import wallfinder.record.ComparisonJson;
import wallfinder.record.StoredRunJson;
import wallfinder.report.ComparisonText;
import wallfinder.report.TextPage;

/// Compares two stored runs.
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Compares two stored runs: what differs around them, their figures with intervals, their"
                    + " walls, and where the time of an answer goes. It reads only their run.json and"
                    + " measures nothing.",
            "",
            "Two runs at different times are not interleaved, so a difference may come from the state"
                    + " of the host. compare prints the run that would decide it."
        },
        exitCodeList = {
            "0:the runs were compared",
            "2:the command line is wrong, or a file is no run.json that can be read",
            "3:the environment does not allow it: a file cannot be written",
            "4:the runs cannot be compared: no figure corresponds"
        })
final class CompareCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "RUN",
            description = "The first run, A: its folder or its run.json.")
    private Path a = Path.of("");

    @Parameters(
            index = "1",
            paramLabel = "RUN",
            description = "The second run, B. Ratios are B divided by A.")
    private Path b = Path.of("");

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also write the comparison to FILE.")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write a page with pictures to FILE.")
    private @Nullable Path html;

    @Override
    public Integer call() throws IOException {
        FileOptions.checkWritable("--json", json);
        FileOptions.checkWritable("--html", html);
        Comparison comparison =
                Compare.of(
                        a.toString(), StoredRunJson.read(a), b.toString(), StoredRunJson.read(b));
        System.out.print(ComparisonText.of(comparison, Console.colours()));
        System.out.flush();
        if (json != null) {
            ComparisonJson.write(comparison, json);
        }
        if (html != null) {
            TextPage.write(comparison, html);
        }
        return comparison.refused() == null ? ExitCode.DONE : ExitCode.INVALID;
    }
}
