package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.GeneratorOfAgents;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.find.Profiles;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.record.RunRecord;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;

/// Shows what the CPUs do for a service: a running one, or one under a load of ours.
@Command(
        name = "profile",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what the CPUs do for a service: which packages and methods of a JVM, garbage"
                    + " collection, JIT compilers, the kernel.",
            "",
            "With --pid, --port or --cgroup it looks at a running service and sends no load: of the"
                    + " load's options only -d can be used then.",
            "",
            "With a URL it warms that service up and drives the load on it, three times with the"
                    + " profiler and three times without. With an EXPERIMENT.yaml it does the same"
                    + " in a sandbox: the options from -c to --objective need a URL.",
            "",
            "With --server the service is on another host, and an agent profiles it there.",
            "",
            "A JVM loads async-profiler for this, and keeps it loaded until it ends. Where it"
                    + " cannot, a JVM from 25 on uses its own Flight Recorder."
        },
        exitCodeList = {
            "0:the service was profiled",
            "1:the objective was missed",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or nothing answers at the URL",
            "4:the generator was the limit: the service could do more",
            "130:interrupted; what was seen so far is kept"
        })
final class ProfileCommand implements Callable<Integer> {
    private static final Duration DURATION_DEFAULT = Duration.ofSeconds(10);

    @Parameters(
            arity = "0..1",
            paramLabel = "EXPERIMENT.yaml|URL",
            description = "The experiment, or the URL of a running service.")
    private String subject = "";

    @ArgGroup private @Nullable SubjectOptions running;

    @Mixin private LoadOptions load = new LoadOptions();
    @Mixin private FarServerOptions server = new FarServerOptions();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private TrustOption trust = new TrustOption();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        boolean isRunning = running != null || (subject.isEmpty() && server.isPod());
        if (subject.isEmpty() != isRunning) {
            throw new UsageException(
                    subject.isEmpty()
                            ? "There is nothing to profile"
                            : "A service under load and a running one cannot be profiled together",
                    subject.isEmpty()
                            ? "no service was named"
                            : "both " + subject + " and a running service were named",
                    "Give one of: a URL, an EXPERIMENT.yaml, --port, --pid or --cgroup");
        }
        if (isRunning) {
            load.given()
                    .refuse(
                            Set.of("--duration"),
                            "a service that is running",
                            "it has the load of others, and of these options only -d counts",
                            "leave it out, or give a URL instead");
            return running(server.running(running));
        }
        return subject.contains("://") ? url() : experiment();
    }

    private int running(ServerOption.Subject asked) throws IOException {
        Duration length =
                load.duration == null
                        ? DURATION_DEFAULT
                        : Bounded.duration("--duration", load.duration);
        if (server.isGiven()) {
            return elsewhere(asked, length);
        }
        try (Console console = output.console();
                Watch watch = Watch.profiling(Objects.requireNonNull(asked.service()));
                Session session = withoutLoad(asked, console)) {
            Watch.Result result = watch.run(length, session.context());
            return finish(session, console, List.of(result.trial()), null);
        }
    }

    private int elsewhere(ServerOption.Subject asked, Duration length) throws IOException {
        try (Console console = output.console();
                Session session = withoutLoad(asked, console);
                RemoteWatch watch = server.watch(asked, console)) {
            Watch.Result result = Objects.requireNonNull(watch).profiled(length, session.context());
            return finish(session, console, List.of(result.trial()), null);
        }
    }

    private Session withoutLoad(ServerOption.Subject asked, Console console) {
        return Session.openWithoutLoad(
                output.commandLine(), asked.name(), output.session(), console);
    }

    private int experiment() throws IOException {
        load.given().refuseWithExperiment(Set.of());
        SshTarget far = server.ofExperiment();
        Experiment read = ExperimentFile.read(Path.of(subject));
        Experiment experiment = generator.of(far == null ? read : read.on(far.toString()));
        Profiles.check(experiment);
        OtherHosts others = OtherHosts.of(experiment);
        trust.ask(Path.of(subject), experiment.text(), List.of(experiment));
        try (Console console = output.console();
                Session session = output.open(experiment.name(), console);
                OtherHosts.Connected connected = others.connect(console)) {
            SandboxTrialRunner runner = new SandboxTrialRunner(connected.with(session.context()));
            return finish(session, console, Profiles.of(experiment, runner), experiment.text());
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
            var others = GeneratorOfAgents.of(generators, http, origin, watch, context);
            UrlLoad driven = new UrlLoad(http, origin, objective, context);
            return finish(session, console, driven.profile(watch, others), null);
        }
    }

    private int finish(
            Session session,
            Console console,
            List<RunRecord.Trial> trials,
            @Nullable String experiment)
            throws IOException {
        console.end();
        RunRecord record = session.record(trials, List.of(), null, experiment);
        return new Results(session, output, false)
                .write(
                        record,
                        Terminal::profile,
                        Results.exitCode(session.interrupted(), trials.getLast()));
    }
}
