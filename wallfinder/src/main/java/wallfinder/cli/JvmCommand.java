package wallfinder.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
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

/// The JVMs of this host, and the options for a JVM in a container.
@Command(
        name = "jvm",
        mixinStandardHelpOptions = true,
        description = "Lists the JVMs of this host, and computes JVM options for a container.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {JvmCommand.ListCommand.class, JvmCommand.OptionsCommand.class})
final class JvmCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    JvmCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }

    /// Lists the JVMs.
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description =
                    "Lists the JVMs that `jvm:` of an experiment can name: those in JAVA_HOME, on"
                            + " the PATH, in /usr/lib/jvm, in /opt and in the folders of sdkman"
                            + " and Python, those from bin/get-jvm, and those that are running."
                            + " Shows whether each has its archive of classes (CDS). Without it"
                            + " start-up times and memory cannot be compared.")
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

    /// Prints the options that the start script of images computes.
    @Command(
            name = "options",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Prints the options that a JVM should have in a container, as launcher/run-java"
                        + " computes them at the start of an application: for this container, or"
                        + " for the limits that are given here.",
                "",
                "Exit code 1: the heap would be too small for the memory that the application needs."
            })
    static final class OptionsCommand implements Callable<Integer> {
        @Option(
                names = "--memory",
                paramLabel = "SIZE",
                description = "The memory limit, as in 256m (default: that of this cgroup).")
        private @Nullable String memory;

        @Option(
                names = "--cpus",
                paramLabel = "N",
                description = "The CPU limit, as in 1.5 (default: that of this cgroup).")
        private @Nullable String cpus;

        @Option(
                names = "--classes",
                paramLabel = "N",
                description = "How many classes the application loads (default: a guess).")
        private @Nullable String classes;

        @Option(
                names = "--threads",
                paramLabel = "N",
                description = "How many threads run under load (default: a guess).")
        private @Nullable String threads;

        @Option(
                names = "--jvm",
                paramLabel = "JVM",
                description =
                        "The JVM: a major version, such as 17, or a path (default: Wallfinder's).")
        private @Nullable String jvm;

        @Option(
                names = "--explain",
                description = "Print the reason for each option, with its arithmetic.")
        private boolean explain;

        @Override
        public Integer call() throws InterruptedException {
            return new JvmOptions(Console.home()).print(jvm, plan());
        }

        private List<String> plan() {
            List<String> plan = new ArrayList<>();
            add(plan, "--limit=", memory, Quantity::bytes);
            add(plan, "--cpus=", cpus, Quantity::cpus);
            add(plan, "--classes=", classes, Quantity::count);
            add(plan, "--threads=", threads, Quantity::count);
            if (explain) {
                plan.add("--explain");
            }
            return plan;
        }

        private static void add(
                List<String> plan,
                String option,
                @Nullable String value,
                Function<String, Object> quantity) {
            if (value != null) {
                plan.add(option + quantity.apply(value));
            }
        }
    }
}
