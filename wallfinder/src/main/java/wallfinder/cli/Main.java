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
                "Raises the load on a network service until a limit stops it (the wall), names the wall"
                        + " with evidence, moves it, and measures up to the next one.",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%n",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:an objective was missed",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it",
            "4:the result is invalid: the generator was the limit",
            "130:interrupted; what was measured so far is kept"
        })
public final class Main implements Callable<Integer> {
    /// In the order of the help. The annotation does not list them, because reading the options of
    /// one command takes a tenth of the start.
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("load", LoadCommand.class);
        COMMANDS.put("hold", HoldCommand.class);
        COMMANDS.put("find", FindCommand.class);
        COMMANDS.put("capacity", CapacityCommand.class);
        COMMANDS.put("run", RunCommand.class);
        COMMANDS.put("fit", FitCommand.class);
        COMMANDS.put("compare", CompareCommand.class);
        COMMANDS.put("watch", WatchCommand.class);
        COMMANDS.put("profile", ProfileCommand.class);
        COMMANDS.put("doctor", DoctorCommand.class);
        COMMANDS.put("serve", ServeCommand.class);
        COMMANDS.put("explain", ExplainCommand.class);
        COMMANDS.put("jvm", JvmCommand.class);
        COMMANDS.put("mcp", McpCommand.class);
        COMMANDS.put("agents", AgentsCommand.class);
    }

    /// Not in the help: other processes of this program start it.
    private static final String AGENT = "agent";

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    Main() {}

    public static void main(String[] arguments) {
        // Figures look the same in every language of the user.
        Locale.setDefault(Locale.ROOT);
        Session.exit(execute(arguments));
    }

    public static Set<String> commands() {
        return Collections.unmodifiableSet(COMMANDS.keySet());
    }

    static int execute(String... arguments) {
        return commandLine(arguments).execute(arguments);
    }

    /// Reads the options of the command in the arguments, or of all commands if there is none.
    static CommandLine commandLine(String... arguments) {
        CommandLine main = new CommandLine(new Main());
        String first = arguments.length == 0 ? "" : arguments[0];
        Class<?> one = first.equals(AGENT) ? AgentCommand.class : COMMANDS.get(first);
        if (one == null) {
            COMMANDS.forEach(main::addSubcommand);
        } else {
            main.addSubcommand(first, one);
        }
        main.getSubcommands().values().forEach(Main::complete);
        CommandLine serve = main.getSubcommands().get("serve");
        if (serve != null) {
            serve.setStopAtPositional(true); // the rest is for the service
            serve.getCommandSpec()
                    .usageMessage()
                    .optionListHeading("%nOptions, before the name:%n");
        }
        PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        return main.setErr(errors)
                .setAbbreviatedOptionsAllowed(false)
                // @FILE is the file of a body, not of arguments.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(new CommandLine.RunLast())
                .setExecutionExceptionHandler(Failures::handle)
                .setParameterExceptionHandler(Failures::usage);
    }

    /// What all commands have in common.
    private static void complete(CommandLine command) {
        command.getSubcommands().values().forEach(Main::complete);
        command.getCommandSpec().versionProvider(new Version());
        CommandLine.Model.UsageMessageSpec help = command.getCommandSpec().usageMessage();
        help.sortOptions(false).abbreviateSynopsis(true);
        help.parameterListHeading("%n").optionListHeading("%nOptions:%n");
        if (!help.exitCodeList().isEmpty()) {
            help.exitCodeListHeading("%nExit codes:%n");
        }
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }
}
