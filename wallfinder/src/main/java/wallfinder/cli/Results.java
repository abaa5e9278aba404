package wallfinder.cli;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import wallfinder.experiment.WebUrl;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.session.Session;
import wallfinder.record.LatencyLog;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Tells what a run gave: first on the standard output, so that nothing is lost, then in files.
final class Results {
    private final Session session;
    private final OutputOptions output;

    Results(Session session, OutputOptions output) {
        this.session = session;
        this.output = output;
    }

    void tellLoad(RunRecord record, boolean why) throws IOException {
        print(terminal(why).load(record, session.folder()));
        keep(record);
    }

    void tellFind(RunRecord record, boolean why) throws IOException {
        print(terminal(why).find(record, session.folder()));
        keep(record);
    }

    void tellStudy(RunRecord record) throws IOException {
        print(terminal(false).study(record, session.folder()));
        keep(record);
    }

    void tellFit(RunRecord record) throws IOException {
        print(terminal(false).fit(record, session.folder()));
        keep(record);
    }

    void tellWatch(RunRecord record, Watch.Result watched, boolean why) throws IOException {
        print(terminal(why).watch(record, session.folder()));
        session.keep(record, watched.peer());
        if (output.files.json != null) {
            RunJson.write(record, output.files.json);
        }
    }

    private static Terminal terminal(boolean why) {
        return new Terminal(Console.colours(), why);
    }

    private void print(String text) {
        if (!output.files.quiet) {
            System.out.print(text);
            System.out.flush();
        }
    }

    /// The run's own folder first: a file elsewhere may fail, and nothing may be lost by that.
    private void keep(RunRecord record) throws IOException {
        session.keep(record);
        if (output.files.json != null) {
            RunJson.write(record, output.files.json);
        }
        if (output.hlog != null) {
            LatencyLog.write(record, output.hlog);
        }
    }

    /// The exit code of a run that ends with this trial.
    static int exitCode(Session session, RunRecord.Trial last) {
        if (session.interrupted()) {
            return ExitCode.INTERRUPTED;
        }
        if (last.invalid()) {
            return ExitCode.INVALID;
        }
        return Boolean.FALSE.equals(last.objectiveMet())
                ? ExitCode.OBJECTIVE_MISSED
                : ExitCode.DONE;
    }

    /// The command line as it was given.
    static String commandLine(CommandSpec spec) {
        List<String> words = new ArrayList<>();
        words.add("wallfinder");
        words.addAll(spec.root().commandLine().getParseResult().originalArgs());
        return String.join(" ", words);
    }

    /// The host of a URL, as a name for its run.
    static String name(String url) {
        try {
            String authority = URI.create(WebUrl.split(url).base()).getRawAuthority();
            return authority == null ? "load" : authority;
        } catch (IllegalArgumentException e) {
            return "load"; // told as a wrong URL when it is parsed
        }
    }
}
