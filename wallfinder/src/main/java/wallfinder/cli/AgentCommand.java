package wallfinder.cli;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import wallfinder.lab.agent.Agent;

/// The other end of `--server ssh:HOST`. Only another Wallfinder starts it.
@Command(
        name = "agent",
        hidden = true,
        mixinStandardHelpOptions = true,
        description =
                "Answers another Wallfinder over the standard input and output, and ends with the"
                        + " input. --server ssh:HOST starts it on HOST.")
final class AgentCommand implements Callable<Integer> {
    @Option(
            names = "--wait",
            description = "Say nothing before the first message, as a pod has to.")
    private boolean waits;

    @Override
    public Integer call() throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // nothing else may come between the messages
        int code = ExitCode.ENVIRONMENT;
        try {
            Agent.serve(
                    new BufferedInputStream(System.in),
                    new BufferedOutputStream(out),
                    Version.number(),
                    Console.home(),
                    waits);
            code = ExitCode.DONE;
        } finally {
            // No other thread may delay the end.
            Runtime.getRuntime().halt(code);
        }
        return code;
    }
}
