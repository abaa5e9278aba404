package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.Session;
import wallfinder.lab.study.Study;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.record.RunRecord;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;

/// Measures each cell of an experiment's matrix and compares them.
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Measures each combination of the values under `matrix`, each trial in a fresh sandbox,"
                    + " and compares them: figures with intervals, verdicts, effects, the best"
                    + " cell. The order of the cells changes from round to round.",
            "",
            "Keeps each trial as soon as it is measured, so that --resume can continue the run."
        },
        exitCodeList = {
            "0:all cells were measured, or skipped or failed with a message",
            "1:a cell missed the objective",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or no cell could be measured",
            "4:the generator was the limit in all trials of a cell",
            "130:interrupted; what was measured so far is kept"
        })
final class RunCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "EXPERIMENT.yaml",
            description = "The experiment. Without a matrix it is one cell.")
    private String subject = "";

    @Option(
            names = "--resume",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "DIR",
            description =
                    "Continue the run in DIR (default: the newest of this experiment under runs)."
                            + " Keeps what was measured, and repeats what failed.")
    private @Nullable String resume;

    @Mixin private ServerOption server = new ServerOption();
    @Mixin private GeneratorOption generator = new GeneratorOption();
    @Mixin private TrustOption trust = new TrustOption();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws IOException {
        if (subject.isEmpty() && resume != null && resume.matches(".*\\.ya?ml")) {
            subject = resume; // `--resume EXPERIMENT.yaml`
            resume = "";
        }
        if (subject.isEmpty()) {
            throw new UsageException(
                    "There is nothing to run",
                    "no experiment was given",
                    "Name its file, as in `wallfinder run EXPERIMENT.yaml`");
        }
        Matrix read = Study.read(Path.of(subject));
        SshTarget given = server.target();
        Matrix matrix =
                read.each(cell -> generator.of(given == null ? cell : cell.on(given.toString())));
        output.ci.refuseSeveral(matrix.cells().size(), "cells");
        Session.Options options = options(matrix);
        List<Experiment> cells = matrix.cells().stream().map(Matrix.Cell::experiment).toList();
        OtherHosts others = OtherHosts.of(cells);
        trust.ask(Path.of(subject), matrix.text(), cells);
        try (Console console = output.console();
                Session session =
                        Session.open(output.commandLine(), matrix.name(), options, console);
                OtherHosts.Connected connected = others.connect(console)) {
            RunContext context = session.context();
            Study study =
                    new Study(
                            matrix,
                            resume != null,
                            context,
                            new SandboxTrialRunner(connected.with(context)));
            Study.Result result = study.run();
            console.end();
            return finish(session, matrix, result);
        }
    }

    private Session.Options options(Matrix matrix) {
        Session.Options options = output.session();
        if (resume == null) {
            return options;
        }
        if (options.out() != null) {
            throw new UsageException(
                    "--resume and --out cannot be used together",
                    "a resumed run stays in its folder",
                    "leave --out out");
        }
        Path folder =
                resume.isEmpty() ? Study.newest(Path.of("runs"), matrix.name()) : Path.of(resume);
        Study.checkResumable(folder, matrix, options.home());
        return new Session.Options(options.home(), folder, options.engine());
    }

    private int finish(Session session, Matrix matrix, Study.Result result) throws IOException {
        if (result.failure() != null) {
            throw result.failure();
        }
        RunRecord record =
                session.record(result.trials(), List.of(), result.ended(), matrix.text())
                        .with(result.study());
        return new Results(session, output, false)
                .write(record, Terminal::study, code(session.interrupted(), result));
    }

    static int code(boolean interrupted, Study.Result result) {
        if (interrupted) {
            return ExitCode.INTERRUPTED;
        }
        if (result.invalid()) {
            return ExitCode.INVALID;
        }
        return result.objectiveMissed() ? ExitCode.OBJECTIVE_MISSED : ExitCode.DONE;
    }
}
