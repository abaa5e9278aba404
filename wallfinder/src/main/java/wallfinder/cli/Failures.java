package wallfinder.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;

/// Tells a failure as one error: what, why, what to do.
final class Failures {
    private Failures() {}

    /// The command line itself is wrong.
    static int usage(CommandLine.ParameterException problem, String[] arguments) {
        CommandLine commandLine = problem.getCommandLine();
        PrintWriter err = commandLine.getErr();
        err.println("wallfinder: " + problem.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(problem, err);
        err.println(
                "  `%s --help` tells what it takes."
                        .formatted(commandLine.getCommandSpec().qualifiedName()));
        return ExitCode.USAGE;
    }

    static int handle(Exception problem, CommandLine commandLine, CommandLine.ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        return switch (problem) {
            case UsageException usage ->
                    tell(err, String.valueOf(usage.getMessage()), usage.todo(), ExitCode.USAGE);
            case EnvironmentException failure ->
                    tell(
                            err,
                            String.valueOf(failure.getMessage()),
                            failure.todo(),
                            ExitCode.ENVIRONMENT);
            case UncheckedIOException io -> file(err, io);
            case IOException io -> file(err, io);
            default -> {
                err.println(
                        "wallfinder: a defect in Wallfinder itself; please report it with this trace:");
                problem.printStackTrace(err);
                yield ExitCode.ENVIRONMENT;
            }
        };
    }

    private static int file(PrintWriter err, Exception problem) {
        String reason = String.valueOf(problem.getMessage());
        return tell(
                err,
                "a file could not be read or written: "
                        + problem.getClass().getSimpleName()
                        + ": "
                        + reason,
                "see that the folder can be written and that the disk has space",
                ExitCode.ENVIRONMENT);
    }

    private static int tell(PrintWriter err, String what, String todo, int code) {
        err.println("wallfinder: " + what);
        err.println("  What to do: " + todo);
        return code;
    }
}
