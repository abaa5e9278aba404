package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.Generators;
import wallfinder.lab.agent.HoldOfAgents;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.hold.Hold;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.HoldObjective;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Opens connections and holds them.
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = {
            "Opens TCP connections, keeps them open, exchanges messages over them and checks every"
                    + " byte.",
            "",
            "The server must echo the messages. With --idle or --push the client sends none."
        },
        exitCodeList = {
            "0:all connections were alive at the end, and every answer was right",
            "1:a connection or an answer failed, or the objective was missed",
            "2:the command line is wrong",
            "3:the environment does not allow it",
            "4:the result is invalid: the generator was the limit",
            "130:interrupted; what was measured so far is kept"
        })
final class HoldCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "TARGET",
            description = "tcp://HOST:PORT, or tcp://HOST:PORT-PORT for a range of ports.")
    private String target = "";

    @Mixin private HoldOptions options = new HoldOptions();
    @Mixin private FarServerOptions server = new FarServerOptions();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        HoldSpec held = options.spec(target);
        var objective = options.driver.objective();
        Origin origin = options.driver.origin();
        if (output.engine.equals("io_uring")) {
            throw new UsageException(
                    "--engine io_uring cannot be used", "hold uses epoll", "leave it out");
        }
        Hold.Means means = options.means();
        server.excludes("--synthetic", means.synthetic() ? means : null);
        generator.excludes(
                "--synthetic", means.synthetic() ? means : null, "its peers are on this host");
        WatchSubject watched = server.subject(held.port());
        if (!generator.check(held, origin) && !means.synthetic()) {
            Hold.check(held, target);
        }
        try (Console console = output.console();
                Session session = output.open(Results.name(target), console);
                RemoteWatch watch = server.watch(watched, console);
                Generators generators = generator.start(console)) {
            RunContext context = session.context();
            RunRecord.Trial trial =
                    generators == null
                            ? held(held, means, origin, objective, watch, context)
                            : new HoldOfAgents(
                                            generators,
                                            held,
                                            origin,
                                            means.memoryFloorBytes(),
                                            watch,
                                            context)
                                    .trial(
                                            "hold",
                                            new TreeMap<>(),
                                            new HoldObjective(true, objective));
            console.end();
            RunRecord record = session.record(List.of(trial), List.of(), null, null);
            return new Results(session, output, judgement.why)
                    .write(record, Terminal::load, Results.exitCode(session.interrupted(), trial));
        }
    }

    private static RunRecord.Trial held(
            HoldSpec spec,
            Hold.Means means,
            Origin origin,
            @Nullable Objective objective,
            @Nullable RemoteWatch watch,
            RunContext context) {
        try (Hold hold = new Hold(spec, means, origin, objective, context)) {
            return hold.run(watch);
        }
    }
}
