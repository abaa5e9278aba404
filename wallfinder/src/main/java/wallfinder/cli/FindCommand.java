package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.lab.find.Find;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;

/// Raises the load to the wall, names it, moves it, proves it, and goes on to the next.
@Command(
        name = "find",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        description = {
            "Raises the load to the wall and names it.",
            "",
            "With an EXPERIMENT.yaml: in a sandbox of its own; applies remedies, verifies each by"
                    + " interleaved repeats, and goes on to the next wall. The experiment says how"
                    + " it is driven; the options from -c to --objective are for a URL.",
            "",
            "With a URL: names the first wall and prints what would move it; nothing is changed."
        })
final class FindCommand implements Callable<Integer> {
    /// A service that runs for long is warm after the first seconds of it.
    private static final Duration WARMUP_DEFAULT = Duration.ofSeconds(60);

    @Parameters(paramLabel = "EXPERIMENT.yaml|URL", description = "What to find the walls of.")
    private String subject = "";

    @Mixin private LoadOptions load = new LoadOptions();
    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    FindCommand() {}

    @Override
    public Integer call() throws IOException {
        return subject.contains("://") ? url() : experiment();
    }

    private int experiment() throws IOException {
        Experiment experiment = ExperimentFile.read(Path.of(subject));
        Find.check(experiment);
        Console console = new Console(output.files.quiet);
        try (Session session = output.open(spec, experiment.name(), console)) {
            Find find = new Find(session.context());
            Find.Result result = find.run(experiment);
            return told(session, console, result, experiment.text());
        }
    }

    private int url() throws IOException {
        Console console = new Console(output.files.quiet);
        var http = load.spec(subject, WARMUP_DEFAULT);
        var objective = load.driver.objective();
        Origin origin = load.origin();
        UrlLoad.check(http);
        try (Session session = output.open(spec, Results.name(http.url()), console)) {
            Find.Result result = new UrlLoad(http, origin, objective, session.context()).find();
            return told(session, console, result, null);
        }
    }

    private int told(Session session, Console console, Find.Result result, @Nullable String text)
            throws IOException {
        console.live("");
        RunRecord record = session.record(result.trials(), result.ladder(), result.ended(), text);
        new Results(session, output).tellFind(record, judgement.why);
        if (result.failure() != null) {
            throw result.failure();
        }
        if (session.interrupted()) {
            return ExitCode.INTERRUPTED;
        }
        RunRecord.Trial last = result.last();
        return result.anyVerified() || last == null
                ? ExitCode.DONE
                : Results.exitCode(session, last);
    }
}
