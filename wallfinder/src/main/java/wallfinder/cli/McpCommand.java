package wallfinder.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.mcp.Permissions;
import wallfinder.mcp.Program;
import wallfinder.mcp.Server;

/// Serves the commands as tools for a language model.
@Command(
        name = "mcp",
        mixinStandardHelpOptions = true,
        description = {
            "Serves the commands load, find, watch, doctor, explain and compare as tools of the Model"
                    + " Context Protocol, on the standard input and output. A program that talks to a"
                    + " language model starts it (docs/mcp.md).",
            "",
            "The caller is a language model, so loads are bounded, and go only to this host and, with a"
                    + " rate, to private addresses. The options allow more."
        },
        exitCodeList = {
            "0:the input ended",
            "2:the command line is wrong",
            "3:the environment does not allow it",
            "143:ended by SIGTERM"
        })
final class McpCommand implements Callable<Integer> {
    @Option(
            names = "--allow-host",
            paramLabel = "HOST",
            description =
                    "A host that may get any load, as it is in the URL; may be given several times.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--trust",
            description =
                    "Allow find to start the programs of any experiment that the model names.")
    private boolean trust;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "1024",
            description = "The most connections of a load (default: ${DEFAULT-VALUE}).")
    private String connectionsMax = "1024";

    @Option(
            names = "--max-rate",
            paramLabel = "N",
            defaultValue = "10k",
            description =
                    "The most requests a second of a load with a rate (default: ${DEFAULT-VALUE}).")
    private String rateMax = "10k";

    @Option(
            names = "--max-duration",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "The longest load or watch (default: ${DEFAULT-VALUE}).")
    private String durationMax = "60s";

    @Option(
            names = "--max-search",
            paramLabel = "TIME",
            defaultValue = "15m",
            description = "The longest find; then it is interrupted (default: ${DEFAULT-VALUE}).")
    private String searchMax = "15m";

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description =
                    "Where the tools work: relative paths and runs/ begin there (default: the working"
                            + " directory).")
    private Path folder = Path.of("");

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    McpCommand() {}

    @Override
    public Integer call() {
        Permissions allowed =
                new Permissions(
                        hosts.stream()
                                .map(host -> host.toLowerCase(Locale.ROOT))
                                .collect(Collectors.toSet()),
                        trust,
                        Bounded.count(
                                "--max-connections", connectionsMax, LoadSpec.Http.CONNECTIONS_MAX),
                        Bounded.count("--max-rate", rateMax, Arrival.Open.RATE_MAX),
                        Bounded.duration("--max-duration", durationMax),
                        Bounded.duration("--max-search", searchMax));
        if (!Files.isDirectory(folder.toAbsolutePath())) {
            throw new UsageException(
                    "--folder " + folder + " cannot be used",
                    "there is no such folder",
                    "name one that exists");
        }
        if (!McpModules.arePresent()) {
            List<String> words = spec.root().commandLine().getParseResult().originalArgs();
            return McpModules.execute(words.toArray(String[]::new));
        }
        Server.serve(allowed, Program.own(folder.toAbsolutePath()), Version.number());
        return ExitCode.DONE;
    }
}
