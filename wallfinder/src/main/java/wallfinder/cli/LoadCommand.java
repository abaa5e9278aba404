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
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.GeneratorsLoad;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.PeerFile;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;
import wallfinder.remote.SshTarget;
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
    private static final int PORT_MAX = 65_535;

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

    @Mixin private ServerOption server = new ServerOption();

    @Option(
            names = "--server-port",
            paramLabel = "N",
            description =
                    "With --server: the port of the service there (default: the port of the URL).")
    private @Nullable String serverPort;

    @Mixin private GeneratorOption generator = new GeneratorOption();

    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        LoadSpec.Http http = load.spec(url, Duration.ZERO);
        var objective = load.driver.objective();
        Origin origin = load.origin();
        server.excludes("--peer", peer);
        if (serverPort != null && server.target() == null) {
            throw new UsageException(
                    "--server-port " + serverPort + " cannot be used",
                    "there is no --server, so nothing is watched on another host",
                    "add --server ssh:HOST");
        }
        generator.excludes("--peer", peer, "that file is joined with a load from this host");
        PeerFile observed = peer == null ? null : PeerFile.of(peer);
        WatchSubject subject = subject(http);
        List<SshTarget> hosts = generator.targets();
        if (hosts.isEmpty()) {
            UrlLoad.check(http);
        } else {
            Generators.check(http, origin, hosts.size());
        }
        try (Console console = output.console();
                Session session = output.open(Results.name(http.url()), console);
                RemoteWatch watch = server.watch(subject, console);
                Generators generators = generator.start(console)) {
            UrlLoad url = new UrlLoad(http, origin, objective, session.context());
            RunRecord.Trial trial =
                    generators == null
                            ? url.load(watch == null ? observed : watch)
                            : load(url, generators, watch);
            console.end();
            RunRecord record = session.record(List.of(trial), List.of(), null, null);
            return new Results(session, output, judgement.why)
                    .write(record, Terminal::load, Results.exitCode(session, trial));
        }
    }

    private static RunRecord.Trial load(
            UrlLoad url, Generators generators, @Nullable RemoteWatch watch) {
        GeneratorsLoad.Measured measured =
                new GeneratorsLoad(
                                generators,
                                url.http(),
                                url.origin(),
                                url.objective(),
                                url.context())
                        .measure();
        return watch == null
                ? measured.trial()
                : url.joined(measured.trial(), measured.client(), watch);
    }

    private WatchSubject subject(LoadSpec.Http http) {
        if (serverPort != null) {
            return new WatchSubject.OfPort(Bounded.count("--server-port", serverPort, PORT_MAX));
        }
        if (server.target() != null && UrlLoad.port(http) == 0) {
            throw new UsageException(
                    "--server cannot be used with a Unix socket",
                    "a Unix socket leads to a service on this host",
                    "leave --server out");
        }
        return new WatchSubject.OfPort(UrlLoad.port(http));
    }
}
