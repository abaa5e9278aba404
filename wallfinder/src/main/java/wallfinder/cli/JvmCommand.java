package wallfinder.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Quantity;
import wallfinder.lab.serve.JvmOptions;
import wallfinder.lab.serve.Jvms;
import wallfinder.record.JvmRow;
import wallfinder.report.JvmTable;

/// What there is to know of JVMs.
@Command(
        name = "jvm",
        mixinStandardHelpOptions = true,
        description = "Tells of the JVMs of this host.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {JvmCommand.ListCommand.class, JvmCommand.OptionsCommand.class})
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

    /// Has the start script of images compute them.
    @Command(
            name = "options",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Prints the options that a JVM should have in a container, as launcher/run-java"
                        + " computes them when it starts an application there: for this one, or for"
                        + " one that is told here.",
                "",
                "Exit code 1: the heap would be too small for what is known to be in it."
            })
    static final class OptionsCommand implements Callable<Integer> {
        @Option(
                names = "--memory",
                paramLabel = "SIZE",
                description = "The limit of memory, as in 256m (default: that of our cgroup).")
        private @Nullable String memory;

        @Option(
                names = "--cpus",
                paramLabel = "N",
                description = "The limit of CPUs, as in 1.5 (default: that of our cgroup).")
        private @Nullable String cpus;

        @Option(
                names = "--classes",
                paramLabel = "N",
                description = "How many classes the application loads (default: a guess).")
        private @Nullable String classes;

        @Option(
                names = "--threads",
                paramLabel = "N",
                description = "How many threads it has under load (default: a guess).")
        private @Nullable String threads;

        @Option(
                names = "--jvm",
                paramLabel = "JVM",
                description = "The JVM: a major version, such as 17, or a path (default: our own).")
        private @Nullable String jvm;

        @Option(names = "--explain", description = "Tell the reason for each, with its arithmetic.")
        private boolean explain;

        @Override
        public Integer call() throws InterruptedException {
            return new JvmOptions(Console.home()).print(jvm, plan());
        }

        private List<String> plan() {
            List<String> plan = new ArrayList<>();
            if (memory != null) {
                plan.add("--limit=" + Quantity.bytes(memory));
            }
            if (cpus != null) {
                plan.add("--cpus=" + Quantity.cpus(cpus));
            }
            if (classes != null) {
                plan.add("--classes=" + Quantity.count(classes));
            }
            if (threads != null) {
                plan.add("--threads=" + Quantity.count(threads));
            }
            if (explain) {
                plan.add("--explain");
            }
            return plan;
        }
    }
}
