package wallfinder.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.CommandLine;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;

/// Tells a failure as one error: what, why, what to do.
final class Failures {
    private Failures() {}

    /// The command line itself is wrong.
    static int usage(CommandLine.ParameterException problem, String[] arguments) {
        CommandLine commandLine = problem.getCommandLine();
        String command = commandLine.getCommandSpec().qualifiedName();
        String help = "`%s --help` tells what it takes".formatted(command);
        PrintWriter err = commandLine.getErr();
        if (!(problem instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            String why = String.valueOf(problem.getMessage());
            return tell(err, "the command line cannot be used", why, help, ExitCode.USAGE);
        }
        String first = unmatched.getUnmatched().getFirst();
        boolean hasCommands = !commandLine.getSubcommands().isEmpty();
        String why =
                unmatched.isUnknownOption()
                        ? "there is no such option"
                        : hasCommands
                                ? "there is no such command"
                                : "that is one argument too many";
        List<String> near =
                unmatched.getSuggestions().stream().map(Failures::word).distinct().toList();
        boolean guess = !near.isEmpty() && (unmatched.isUnknownOption() || hasCommands);
        String todo = (guess ? "did you mean " + String.join(" or ", near) + "? " : "") + help;
        return tell(
                err, "`%s` cannot take %s".formatted(command, first), why, todo, ExitCode.USAGE);
    }

    /// The suggestion without the program's name before it.
    private static String word(String suggestion) {
        return suggestion.substring(suggestion.lastIndexOf(' ') + 1);
    }

    static int handle(Exception problem, CommandLine commandLine, CommandLine.ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        return switch (problem) {
            case UsageException usage ->
                    tell(err, usage.what(), usage.why(), usage.todo(), ExitCode.USAGE);
            case EnvironmentException failure ->
                    tell(err, failure.what(), failure.why(), failure.todo(), ExitCode.ENVIRONMENT);
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
        return tell(
                err,
                "a file could not be read or written",
                String.valueOf(problem),
                "see that the folder can be written and that the disk has space",
                ExitCode.ENVIRONMENT);
    }

    private static int tell(PrintWriter err, String what, String why, String todo, int code) {
        err.println("wallfinder: " + what);
        err.println("  why:        " + why);
        err.println("  what to do: " + todo);
        return code;
    }
}
