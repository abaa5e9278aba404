package wallfinder.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;
import picocli.CommandLine;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.Harmless;

/// Prints a failure as one error: what failed, why, what to do.
final class Failures {
    private Failures() {}

    /// Prints an error of the command line itself.
    static int usage(CommandLine.ParameterException problem, String[] arguments) {
        CommandLine commandLine = problem.getCommandLine();
        String command = commandLine.getCommandSpec().qualifiedName();
        String help = "see `%s --help`".formatted(command);
        PrintWriter err = commandLine.getErr();
        if (!(problem instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            String why = String.valueOf(problem.getMessage());
            return print(err, "the command line cannot be used", why, help, ExitCode.USAGE);
        }
        boolean option = unmatched.isUnknownOption();
        boolean hasCommands = !commandLine.getSubcommands().isEmpty();
        String why =
                option
                        ? "there is no such option"
                        : hasCommands
                                ? "there is no such command"
                                : "that is one argument too many";
        // A suggestion begins with the name of the program.
        String near =
                unmatched.getSuggestions().stream()
                        .map(words -> words.substring(words.lastIndexOf(' ') + 1))
                        .distinct()
                        .collect(Collectors.joining(" or "));
        boolean guess = !near.isEmpty() && (option || hasCommands);
        return print(
                err,
                "`%s` cannot take %s".formatted(command, unmatched.getUnmatched().getFirst()),
                why,
                (guess ? "did you mean " + near + "? " : "") + help,
                ExitCode.USAGE);
    }

    static int handle(Exception problem, CommandLine commandLine, CommandLine.ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        return switch (problem) {
            case UsageException usage ->
                    print(err, usage.what(), usage.why(), usage.todo(), ExitCode.USAGE);
            case EnvironmentException failure ->
                    print(err, failure.what(), failure.why(), failure.todo(), ExitCode.ENVIRONMENT);
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
        return print(
                err,
                "a file could not be read or written",
                String.valueOf(problem),
                "check that the folder is writable and that the disk has space",
                ExitCode.ENVIRONMENT);
    }

    private static int print(PrintWriter err, String what, String why, String todo, int code) {
        err.println("wallfinder: " + Harmless.lines(what));
        err.println("  why:        " + Harmless.lines(why));
        err.println("  what to do: " + Harmless.lines(todo));
        return code;
    }
}
