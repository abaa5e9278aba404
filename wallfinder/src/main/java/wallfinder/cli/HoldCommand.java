package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.hold.Hold;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunRecord;

/// Opens connections and keeps them.
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        description = {
            "Opens TCP connections, keeps them, exchanges messages over them and checks every byte.",
            "",
            "The server is to send back what it is sent; with --idle and --push nothing is sent."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all connections were alive at the end, and every answer was right",
            "1:that was not so, or the objective was missed",
            "2:the command line is wrong",
            "3:the environment does not allow it",
            "4:the result is invalid: the generator was the wall",
            "130:interrupted; what was measured so far is kept"
        })
final class HoldCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "TARGET",
            description = "tcp://HOST:PORT, or tcp://HOST:PORT-PORT for a range of ports.")
    private String target = "";

    @Mixin private HoldOptions options = new HoldOptions();
    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    HoldCommand() {}

    @Override
    public Integer call() throws IOException {
        HoldSpec held = options.spec(target);
        var objective = options.driver.objective();
        Origin origin = options.driver.origin();
        if (output.engine.equals("io_uring")) {
            throw new UsageException(
                    "--engine io_uring cannot be used", "hold drives by epoll", "leave it out");
        }
        Hold.Means means = options.means();
        if (!means.synthetic()) {
            Hold.check(held, target);
        }
        Console console = new Console(output.files.quiet);
        try (Session session = output.open(spec, Results.name(target), console);
                Hold hold = new Hold(held, means, origin, objective, session.context())) {
            RunRecord.Trial trial = hold.run();
            RunRecord record = session.record(List.of(trial), List.of(), null, null);
            new Results(session, output).tellLoad(record, judgement.why);
            return Results.exitCode(session, trial);
        }
    }
}
