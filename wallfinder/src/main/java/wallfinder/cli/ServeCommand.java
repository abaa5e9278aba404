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

/// Starts one of the services in `services/`.
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Starts one of the services in services/, in the foreground until Ctrl-C. Builds it first"
                    + " if necessary.",
            "",
            "The options after the name are those of the service; its README lists them."
        })
final class ServeCommand implements Callable<Integer> {
    private static final int TERMINATED = 143;

    @Option(
            names = "--jvm",
            paramLabel = "JVM",
            description =
                    "The JVM: a major version, such as 17, or a path (default: Wallfinder's own).")
    private @Nullable String jvm;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The service. Without it, serve lists all services.")
    private @Nullable String name;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "OPTION",
            description = "An option of the service, such as --port=8080.")
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
            case TERMINATED -> ExitCode.INTERRUPTED; // by SIGTERM
            default ->
                    throw new EnvironmentException(
                            "the service " + name + " has ended",
                            "with exit code " + code + "; its output is above",
                            "correct what its output says");
        };
    }
}
