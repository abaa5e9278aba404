package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Objective;
import wallfinder.lab.agent.GeneratorOfAgents;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.find.CapacityLadder;
import wallfinder.lab.find.Find;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;

/// Raises the load to the wall, names it, moves it, proves that, and continues to the next wall.
@Command(
        name = "find",
        mixinStandardHelpOptions = true,
        description = {
            "Raises the load until it reaches a wall, and names the wall.",
            "",
            "With an EXPERIMENT.yaml, find starts the services in a sandbox, applies remedies,"
                    + " verifies each by interleaved pairs of trials, and continues to the next"
                    + " wall. The load is that of the experiment: the options from -c to"
                    + " --objective need a URL.",
            "",
            "With a URL, find names the first wall and prints what would move it. It moves nothing."
        },
        exitCodeList = {
            "0:a remedy was proven, or the last trial found a wall or reached none",
            "1:no remedy was proven, and the last trial missed the objective",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or nothing answers at the URL",
            "4:no remedy was proven, and the generator was the limit in the last trial",
            "130:interrupted; what was measured so far is kept"
        })
final class FindCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "EXPERIMENT.yaml|URL",
            description = "The experiment, or the URL of a running service.")
    private String subject = "";

    @Mixin private LoadOptions load = new LoadOptions();
    @Mixin private FarServerOptions server = new FarServerOptions();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private TrustOption trust = new TrustOption();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        return subject.contains("://") ? url() : experiment();
    }

    private int experiment() throws IOException {
        load.given().refuseWithExperiment(Set.of());
        SshTarget server = this.server.ofExperiment();
        Experiment read = ExperimentFile.read(Path.of(subject));
        Experiment experiment = generator.of(server == null ? read : read.on(server.toString()));
        Find.check(experiment);
        OtherHosts others = OtherHosts.of(experiment);
        trust.ask(Path.of(subject), experiment.text(), List.of(experiment));
        if (experiment.goal() == Experiment.Goal.CAPACITY) {
            return capacity(experiment, others, CapacityLadder.check(experiment));
        }
        try (Console console = output.console();
                Session session = output.open(experiment.name(), console);
                OtherHosts.Connected connected = others.connect(console)) {
            Find.Result result = new Find(connected.with(session.context())).run(experiment);
            return finish(session, console, result, experiment.text());
        }
    }

    private int capacity(Experiment experiment, OtherHosts others, Objective objective)
            throws IOException {
        try (Console console = output.console();
                Session session = output.open(experiment.name(), console);
                OtherHosts.Connected connected = others.connect(console)) {
            CapacityLadder.Result result =
                    new CapacityLadder(objective, connected.with(session.context()))
                            .run(experiment);
            console.end();
            CapacityEnd end = new CapacityEnd(session, objective, result.found());
            return end.finish(
                    result.ladder(),
                    experiment.text(),
                    new Results(session, output, judgement.why),
                    Terminal::find);
        }
    }

    private int url() throws IOException {
        var http = load.spec(subject, LoadOptions.WARMUP_UNTIL_WARM);
        var objective = load.driver.objective();
        Origin origin = load.origin();
        WatchSubject watched = server.subject(UrlLoad.port(http));
        generator.check(http, origin);
        try (Console console = output.console();
                Session session = output.open(Results.name(http.url()), console);
                RemoteWatch watch = server.watch(watched, console);
                Generators generators = generator.start(console)) {
            RunContext context = session.context();
            UrlLoad driven = new UrlLoad(http, origin, objective, context);
            var others = GeneratorOfAgents.of(generators, http, origin, watch, context);
            Find.Result result = driven.find(watch, others);
            return finish(session, console, result, null);
        }
    }

    private int finish(Session session, Console console, Find.Result result, @Nullable String text)
            throws IOException {
        console.end();
        RunRecord record = session.record(result.trials(), result.ladder(), result.ended(), text);
        int code =
                new Results(session, output, judgement.why)
                        .write(record, Terminal::find, code(session.interrupted(), result));
        if (result.failure() != null) {
            throw result.failure();
        }
        return code;
    }

    static int code(boolean interrupted, Find.Result result) {
        if (result.failure() != null) {
            return ExitCode.ENVIRONMENT;
        }
        if (interrupted) {
            return ExitCode.INTERRUPTED;
        }
        RunRecord.Trial last = result.last();
        return result.anyVerified() || last == null
                ? ExitCode.DONE
                : Results.exitCode(interrupted, last);
    }
}
