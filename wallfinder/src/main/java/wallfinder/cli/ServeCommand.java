package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import wallfinder.lab.serve.Serve;
import wallfinder.linux.EnvironmentException;

/// Starts one of the services of `services/` by hand.
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions, before the name:%n",
        description = {
            "Starts one of the services that come along, in the foreground until Ctrl-C; it is"
                    + " built first where that was not done yet.",
            "",
            "What stands after the name is the service's own; its README tells its options."
        })
final class ServeCommand implements Callable<Integer> {
    private static final int TERMINATED = 143;

    @Option(
            names = "--jvm",
            paramLabel = "JVM",
            description = "The JVM: a major version, such as 17, or a path (default: our own).")
    private @Nullable String jvm;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The service; without it, all that there are.")
    private @Nullable String name;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "OPTION",
            description = "What the service is told, such as --port=8080.")
    private List<String> options = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Serve serve = new Serve(Console.home());
        if (name == null) {
            serve.list().forEach(System.out::println);
            return ExitCode.DONE;
        }
        int code = serve.run(name, jvm, options);
        return switch (code) {
            case ExitCode.DONE, ExitCode.USAGE, ExitCode.INTERRUPTED -> code;
            case TERMINATED -> ExitCode.INTERRUPTED; // somebody has ended it, in order
            default ->
                    throw new EnvironmentException(
                            "the service " + name + " has ended",
                            "with exit code " + code + "; what it said is above",
                            "correct what it complained about");
        };
    }
}
