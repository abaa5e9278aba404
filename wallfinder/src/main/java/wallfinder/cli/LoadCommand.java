package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.PeerFile;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;

/// Drives HTTP load on a URL and names the wall if one was hit.
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        description =
                "Drives HTTP load on a URL, prints honest numbers, watches the kernel on both ends"
                        + " and names the wall if one was hit.")
final class LoadCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "URL",
            description =
                    "Such as http://127.0.0.1:8080/path; {counter} and {random:1-1000} in it have"
                            + " another value each time.")
    private String url = "";

    @Mixin private LoadOptions load = new LoadOptions();

    @Option(
            names = "--peer",
            paramLabel = "FILE",
            description =
                    "Join what watch --out saw of the server on its own host: its"
                            + " observation.json, waited for after the load.")
    private @Nullable Path peer;

    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    LoadCommand() {}

    @Override
    public Integer call() throws IOException {
        LoadSpec.Http http = load.spec(url);
        var objective = load.driver.objective();
        Origin origin = load.origin();
        PeerFile observed = peer == null ? null : PeerFile.of(peer);
        UrlLoad.check(http);
        Console console = new Console(output.files.quiet);
        try (Session session = output.open(spec, Results.name(http.url()), console)) {
            RunRecord.Trial trial =
                    new UrlLoad(http, origin, objective, session.context()).load(observed);
            console.live("");
            RunRecord record = session.record(List.of(trial), List.of(), null, null);
            new Results(session, output).tellLoad(record, judgement.why);
            return Results.exitCode(session, trial);
        }
    }
}
