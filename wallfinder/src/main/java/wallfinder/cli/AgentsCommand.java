package wallfinder.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.lab.agent.Copies;
import wallfinder.remote.SshTarget;

/// The copies of this program on other hosts.
@Command(
        name = "agents",
        mixinStandardHelpOptions = true,
        description =
                "Handles the copies of Wallfinder that --server and --generator ssh:HOST make on other"
                        + " hosts.",
        subcommands = AgentsCommand.Clean.class)
final class AgentsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    AgentsCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }

    @Command(
            name = "clean",
            mixinStandardHelpOptions = true,
            description = {
                "Removes all copies from a host, or from this one. The next run with --server"
                        + " or --generator makes a new one. A copy in which an agent is at work stays."
            },
            exitCodeList = {
                "0:there is no copy on the host any more",
                "2:the command line is wrong",
                "3:the host does not answer or does not allow it, or an agent is at work there"
            })
    static final class Clean implements Callable<Integer> {
        @Parameters(
                arity = "0..1",
                paramLabel = "ssh:[USER@]HOST",
                description = "The host (default: this one).")
        private String host = "";

        @Override
        public Integer call() {
            System.out.println(
                    host.isEmpty()
                            ? Copies.removeHere()
                            : Copies.removeFrom(SshTarget.parse("the host", host)));
            return ExitCode.DONE;
        }
    }
}
