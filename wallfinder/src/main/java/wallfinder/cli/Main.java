package wallfinder.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `wallfinder COMMAND`.
@Command(
        name = "wallfinder",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Pushes a network service to where it stops, names the wall with evidence, moves it,",
            "measures again, and tells what the next wall is."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {LoadCommand.class, FindCommand.class, ExplainCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:an objective was missed",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it",
            "4:the result is invalid: the generator or the path was the wall",
            "130:interrupted; what was measured so far is kept"
        })
public final class Main implements Runnable {
    @Spec private CommandSpec spec;

    /// Made by picocli.
    @SuppressWarnings("NullAway.Init")
    Main() {}

    public static void main(String[] arguments) {
        // Figures are written the same way everywhere, whatever the user's language.
        Locale.setDefault(Locale.ROOT);
        System.exit(execute(arguments));
    }

    static int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        return new CommandLine(new Main())
                .setErr(errors)
                .setAbbreviatedOptionsAllowed(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(new CommandLine.RunLast())
                .setExecutionExceptionHandler(Failures::handle)
                .setParameterExceptionHandler(Failures::usage);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "no command was given; `wallfinder --help` lists them");
    }
}
