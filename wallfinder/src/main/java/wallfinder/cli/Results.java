package wallfinder.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import wallfinder.experiment.WebUrl;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.session.Session;
import wallfinder.record.LatencyLog;
import wallfinder.record.Outcome;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Prints the results of a run and writes its files.
final class Results {
    private final Session session;
    private final OutputOptions output;
    private final boolean why;

    /// How the terminal shows the record of a command.
    interface View {
        String text(Terminal terminal, RunRecord record, Path folder);
    }

    /// @param why whether the terminal lists the walls that are ruled out
    Results(Session session, OutputOptions output, boolean why) {
        this.session = session;
        this.output = output;
        this.why = why;
    }

    /// Writes files outside of the run's folder last, because they may fail.
    ///
    /// @param code the exit code
    /// @return the same
    int write(RunRecord record, View view, int code) throws IOException {
        print(record, view);
        session.keep(record);
        try {
            writeFiles(record);
        } finally {
            output.ci.write(record, outcome(code), session.folder());
        }
        return code;
    }

    private static Outcome outcome(int code) {
        return switch (code) {
            case ExitCode.DONE -> Outcome.DONE;
            case ExitCode.OBJECTIVE_MISSED -> Outcome.MISSED;
            case ExitCode.INVALID -> Outcome.INVALID;
            case ExitCode.INTERRUPTED -> Outcome.INTERRUPTED;
            default -> Outcome.FAILED;
        };
    }

    void writeWatch(RunRecord record, Watch.Result watched) throws IOException {
        print(record, Terminal::watch);
        session.keep(record, watched.peer());
        writeFiles(record);
    }

    private void print(RunRecord record, View view) {
        if (!output.files.quiet) {
            Terminal terminal = new Terminal(Console.colours(), why);
            System.out.print(view.text(terminal, record, session.folder()));
            System.out.flush();
        }
    }

    private void writeFiles(RunRecord record) throws IOException {
        if (output.files.json != null) {
            RunJson.write(record, output.files.json);
        }
        if (output.hlog != null) {
            LatencyLog.write(record, output.hlog);
        }
    }

    /// The exit code of a run that ends with this trial.
    static int exitCode(boolean interrupted, RunRecord.Trial last) {
        if (interrupted) {
            return ExitCode.INTERRUPTED;
        }
        if (last.invalid()) {
            return ExitCode.INVALID;
        }
        return Boolean.FALSE.equals(last.objectiveMet())
                ? ExitCode.OBJECTIVE_MISSED
                : ExitCode.DONE;
    }

    /// The command line as the user typed it. A word that a shell would not take as it is gets
    /// quotes.
    static String commandLine(CommandSpec spec) {
        List<String> words = new ArrayList<>();
        words.add("wallfinder");
        spec.root().commandLine().getParseResult().originalArgs().stream()
                .map(Results::quoted)
                .forEach(words::add);
        return String.join(" ", words);
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+")
                ? word
                : "'" + word.replace("'", "'\\''") + "'";
    }

    /// The host of a URL, as a name for its run.
    static String name(String url) {
        try {
            String authority = URI.create(WebUrl.split(url).base()).getRawAuthority();
            return authority == null ? "load" : authority;
        } catch (IllegalArgumentException e) {
            return "load"; // the parser reports a wrong URL
        }
    }
}
