package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.agent.GeneratorOfAgents;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.PeerFile;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Drives HTTP load on a URL and names the wall if there is one.
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description =
                "Drives HTTP load on a URL, reports rates and times, watches the kernel on both ends,"
                        + " and names the wall if the load reaches one.",
        exitCodeList = {
            "0:the load was driven, whatever its answers were",
            "1:the objective was missed",
            "2:the command line is wrong",
            "3:the environment does not allow it, or nothing answers at the URL",
            "4:the result is invalid: the generator was the limit",
            "130:interrupted; what was measured so far is kept"
        })
final class LoadCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "URL",
            description =
                    "Such as http://127.0.0.1:8080/path. {counter} and {random:1-1000} in it have"
                            + " another value in each request.")
    private String url = "";

    @Mixin private LoadOptions load = new LoadOptions();

    @Option(
            names = "--peer",
            paramLabel = "FILE",
            description =
                    "Add what watch saw on the server's host: FILE is its observation.json. load"
                            + " waits for the file after the measurement, for up to 30 minutes.")
    private @Nullable Path peer;

    @Mixin private FarServerOptions server = new FarServerOptions();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        LoadSpec.Http http = load.spec(url, Duration.ZERO);
        var objective = load.driver.objective();
        Origin origin = load.origin();
        server.excludes("--peer", peer);
        generator.excludes("--peer", peer, "that file is joined with a load from this host");
        PeerFile observed = peer == null ? null : PeerFile.of(peer);
        WatchSubject subject = server.subject(UrlLoad.port(http));
        generator.check(http, origin);
        try (Console console = output.console();
                Session session = output.open(Results.name(http.url()), console);
                RemoteWatch watch = server.watch(subject, console);
                Generators generators = generator.start(console)) {
            ServerSide seen = watch == null ? observed : watch;
            RunContext context = session.context();
            UrlLoad driven = new UrlLoad(http, origin, objective, context);
            var others = GeneratorOfAgents.of(generators, http, origin, seen, context);
            RunRecord.Trial trial = driven.load(seen, others);
            console.end();
            RunRecord record = session.record(List.of(trial), List.of(), null, null);
            return new Results(session, output, judgement.why)
                    .write(record, Terminal::load, Results.exitCode(session.interrupted(), trial));
        }
    }
}
