package wallfinder.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.lab.Jvms;
import wallfinder.report.JvmRow;
import wallfinder.report.JvmTable;

/// What there is to know of JVMs.
@Command(
        name = "jvm",
        mixinStandardHelpOptions = true,
        description = "Tells of the JVMs of this host.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = JvmCommand.ListCommand.class)
final class JvmCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /// Made by picocli.
    @SuppressWarnings("NullAway.Init")
    JvmCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }

    /// Lists them.
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description =
                    "Lists the JVMs that `jvm:` of an experiment can name: those in JAVA_HOME, on"
                            + " the PATH, in /usr/lib/jvm, /opt, sdkman's and Python's folders,"
                            + " those that bin/get-jvm got, and those that run; and whether each"
                            + " has its archive of classes (CDS), without which start and memory"
                            + " do not compare.")
    static final class ListCommand implements Callable<Integer> {
        @Option(names = "--json", description = "Print them as JSON.")
        private boolean json;

        @Override
        public Integer call() {
            List<JvmRow> jvms = Jvms.onThisHost();
            System.out.print(json ? JvmTable.json(jvms) : JvmTable.text(jvms, Console.colours()));
            return ExitCode.DONE;
        }
    }
}
