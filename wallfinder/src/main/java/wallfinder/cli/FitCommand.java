package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.FitPlan;
import wallfinder.lab.fit.Fit;
import wallfinder.lab.session.Session;
import wallfinder.record.RunRecord;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;

/// Finds the smallest memory limit of a service.
@Command(
        name = "fit",
        mixinStandardHelpOptions = true,
        description = {
            "Finds the smallest memory limit at which a service meets the experiment's objective, for"
                    + " each candidate under `fit` (the JVM's defaults, computed options, your own)."
                    + " A trial with a generous limit predicts it. Three passes at the limit and"
                    + " three knock-outs (trials that fail) one step below prove it.",
            "",
            "Prints the kind and the evidence of each knock-out: killed for memory, a full heap, a"
                    + " collector or a page cache that thrashes, not ready in time. Needs root or a"
                    + " delegated cgroup."
        },
        exitCodeList = {
            "0:a smallest limit was found for at least one candidate",
            "1:no candidate passes, not even with its generous limit",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or no candidate could be measured",
            "130:interrupted; what was measured so far is kept"
        })
final class FitCommand implements Callable<Integer> {
    @Parameters(paramLabel = "EXPERIMENT.yaml", description = "An experiment with the key `fit`.")
    private String subject = "";

    @Mixin private ServerOption server = new ServerOption();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private TrustOption trust = new TrustOption();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        FitPlan read = Fit.read(Path.of(subject));
        SshTarget given = server.target();
        FitPlan plan =
                read.each(one -> generator.of(given == null ? one : one.on(given.toString())));
        output.ci.refuseSeveral(plan.candidates().size(), "candidates");
        List<Experiment> experiments =
                plan.candidates().stream().map(FitPlan.Candidate::experiment).toList();
        OtherHosts others = OtherHosts.of(experiments);
        if (others.services() != null) {
            Fit.checkElsewhere(plan);
        }
        trust.ask(Path.of(subject), plan.text(), experiments);
        try (Console console = output.console();
                Session session = output.open(plan.name(), console);
                OtherHosts.Connected connected = others.connect(console)) {
            Fit.Result result = new Fit(plan, connected.with(session.context())).run();
            console.end();
            return finish(session, plan, result);
        }
    }

    private int finish(Session session, FitPlan plan, Fit.Result result) throws IOException {
        if (result.failure() != null && result.trials().isEmpty()) {
            throw result.failure();
        }
        RunRecord record =
                session.record(result.trials(), List.of(), result.ended(), plan.text())
                        .with(result.frontier())
                        .with(result.fit());
        int code =
                new Results(session, output, false)
                        .write(record, Terminal::fit, code(session, result));
        if (result.failure() != null) {
            throw result.failure();
        }
        return code;
    }

    private static int code(Session session, Fit.Result result) {
        if (result.failure() != null) {
            return ExitCode.ENVIRONMENT;
        }
        if (session.interrupted()) {
            return ExitCode.INTERRUPTED;
        }
        return result.found() ? ExitCode.DONE : ExitCode.OBJECTIVE_MISSED;
    }
}
