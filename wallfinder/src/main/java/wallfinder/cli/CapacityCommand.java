package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.GeneratorOfAgents;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;

/// Finds the highest rate at which a service holds an objective.
@Command(
        name = "capacity",
        mixinStandardHelpOptions = true,
        description = {
            "Finds the highest rate of requests at which a service holds an objective, with a 95 %%"
                    + " interval, and names the wall directly above.",
            "",
            "Requests come at random times (a Poisson process), as those of many people do. capacity"
                    + " doubles the rate until the objective is missed, and then measures pairs of"
                    + " trials on both sides of the border. With an EXPERIMENT.yaml each pair has"
                    + " fresh services. The other options of the load need a URL.",
        },
        exitCodeList = {
            "0:the capacity was found, and nothing proves it smaller than the objective asks",
            "1:no rate holds the objective, or the capacity is provably smaller than it asks",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or nothing answers at the URL",
            "4:the generator was the limit, or the capacity has no interval to compare with",
            "130:interrupted; what was measured so far is kept"
        })
final class CapacityCommand implements Callable<Integer> {
    /// Enough that requests rarely wait for a connection. A browser or a client pool has as many.
    private static final String CONNECTIONS = "100";

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

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    CapacityCommand() {}

    @Override
    public Integer call() throws IOException {
        return subject.contains("://") ? url() : experiment();
    }

    private int experiment() throws IOException {
        load.given().refuseWithExperiment(Set.of("--objective"));
        SshTarget far = server.ofExperiment();
        Experiment read = ExperimentFile.read(Path.of(subject));
        Experiment experiment = generator.of(far == null ? read : read.on(far.toString()));
        Objective given = load.driver.objectiveWithCapacity();
        Objective objective = checked(given == null ? experiment.objective() : given);
        Capacity.http(experiment);
        OtherHosts others = OtherHosts.of(experiment);
        trust.ask(Path.of(subject), experiment.text(), List.of(experiment));
        try (Console console = output.console();
                Session session = output.open(experiment.name(), console);
                OtherHosts.Connected connected = others.connect(console)) {
            Capacity capacity =
                    Capacity.of(experiment, objective, connected.with(session.context()));
            return finish(session, console, capacity, objective, experiment.text());
        }
    }

    private int url() throws IOException {
        refuseArrivals();
        if (!spec.commandLine().getParseResult().hasMatchedOption("--connections")) {
            load.connections = CONNECTIONS;
        }
        LoadSpec.Http http = load.spec(subject, LoadOptions.WARMUP_UNTIL_WARM);
        Objective objective = checked(load.driver.objectiveWithCapacity());
        Origin origin = load.origin();
        WatchSubject watched = server.subject(UrlLoad.port(http));
        generator.check(http, origin);
        try (Console console = output.console();
                Session session = output.open(Results.name(http.url()), console);
                RemoteWatch watch = server.watch(watched, console);
                Generators generators = generator.start(console)) {
            RunContext context = session.context();
            var others = GeneratorOfAgents.of(generators, http, origin, watch, context);
            Capacity capacity =
                    others == null
                            ? Capacity.of(http, origin, objective, watch, context)
                            : Capacity.of(http, objective, others, context);
            return finish(session, console, capacity, objective, null);
        }
    }

    private static Objective checked(@Nullable Objective objective) {
        return Capacity.checked(
                objective, "capacity", "add one, as in --objective 'p99 < 50ms, errors < 0.1%'");
    }

    private void refuseArrivals() {
        for (String option : List.of("--rate", "--poisson", "--stages", "--lockstep", "-n")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageException(
                        option + " cannot be used with capacity",
                        "capacity chooses the rates, and sends at random times",
                        "leave it out; -d sets the length of a trial");
            }
        }
    }

    private int finish(
            Session session,
            Console console,
            Capacity capacity,
            Objective objective,
            @Nullable String text)
            throws IOException {
        Capacity.Result result = capacity.run();
        console.end();
        return new CapacityEnd(session, objective, result)
                .finish(
                        List.of(),
                        text,
                        new Results(session, output, judgement.why),
                        Terminal::capacity);
    }
}
