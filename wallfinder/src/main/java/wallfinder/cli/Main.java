package wallfinder.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import wallfinder.lab.session.Session;

/// `wallfinder COMMAND`.
@Command(
        name = "wallfinder",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Pushes a network service to where it stops, names the wall with evidence, moves"
                        + " it, measures again, and tells what the next wall is.",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%n",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:an objective was missed",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it",
            "4:the result is invalid: the generator or the path was the wall",
            "130:interrupted; what was measured so far is kept"
        })
public final class Main implements Callable<Integer> {
    /// In the order of the help. They are not named in the annotation: to read the options of one
    /// takes a tenth of the whole start, and only one is needed.
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("load", LoadCommand.class);
        COMMANDS.put("hold", HoldCommand.class);
        COMMANDS.put("find", FindCommand.class);
        COMMANDS.put("run", RunCommand.class);
        COMMANDS.put("fit", FitCommand.class);
        COMMANDS.put("watch", WatchCommand.class);
        COMMANDS.put("doctor", DoctorCommand.class);
        COMMANDS.put("serve", ServeCommand.class);
        COMMANDS.put("explain", ExplainCommand.class);
        COMMANDS.put("jvm", JvmCommand.class);
    }

    @Spec private CommandSpec spec;

    /// Made by picocli.
    @SuppressWarnings("NullAway.Init")
    Main() {}

    public static void main(String[] arguments) {
        // Figures are written the same way everywhere, whatever the user's language.
        Locale.setDefault(Locale.ROOT);
        Session.exit(execute(arguments));
    }

    /// The names of all commands.
    public static Set<String> commands() {
        return Collections.unmodifiableSet(COMMANDS.keySet());
    }

    static int execute(String... arguments) {
        return commandLine(arguments).execute(arguments);
    }

    /// Knows the command that the arguments begin with, or all commands if that is none.
    static CommandLine commandLine(String... arguments) {
        CommandLine main = new CommandLine(new Main());
        Class<?> one = arguments.length == 0 ? null : COMMANDS.get(arguments[0]);
        if (one == null) {
            COMMANDS.forEach(main::addSubcommand);
        } else {
            main.addSubcommand(arguments[0], one);
        }
        CommandLine serve = main.getSubcommands().get("serve");
        if (serve != null) {
            serve.setStopAtPositional(true); // the rest is for the service
        }
        PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        return main.setErr(errors)
                .setAbbreviatedOptionsAllowed(false)
                // @FILE is the body's, not a file of arguments.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(new CommandLine.RunLast())
                .setExecutionExceptionHandler(Failures::handle)
                .setParameterExceptionHandler(Failures::usage);
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }
}
