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
import wallfinder.experiment.Matrix;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Session;
import wallfinder.lab.study.Study;
import wallfinder.record.RunRecord;

/// Measures each cell of an experiment's matrix and compares them.
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        description = {
            "Measures each combination of the values under `matrix`, each trial in a fresh sandbox,"
                    + " in rounds whose order turns, and compares them: figures with intervals,"
                    + " verdicts, effects, the best cell.",
            "",
            "Each trial is kept as soon as it is measured: --resume goes on where a run ended."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all cells were measured, skipped or failed as told",
            "1:the objective was missed in some cell",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it, or no cell could be measured",
            "4:the generator was the wall in all trials of some cell",
            "130:interrupted; what was measured so far is kept"
        })
final class RunCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "EXPERIMENT.yaml",
            description = "What to measure; without a matrix it is one cell.")
    private String subject = "";

    @Option(
            names = "--resume",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "DIR",
            description =
                    "Go on with the run in DIR (default: the newest of this experiment under runs):"
                            + " what was measured is kept, what failed is tried once more.")
    private @Nullable String resume;

    @Mixin private OutputOptions output = new OutputOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    RunCommand() {}

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
        Matrix matrix = Study.read(Path.of(subject));
        Session.Options options = options(matrix);
        Console console = new Console(output.files.quiet);
        try (Session session =
                Session.open(Results.commandLine(spec), matrix.name(), options, console)) {
            Study study = new Study(matrix, resume != null, session.context());
            Study.Result result = study.run();
            console.live("");
            return told(session, matrix, result);
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
                    "a run that goes on stays where it is",
                    "leave --out away");
        }
        Path folder =
                resume.isEmpty() ? Study.newest(Path.of("runs"), matrix.name()) : Path.of(resume);
        Study.checkResumable(folder, matrix);
        return new Session.Options(options.home(), folder, options.engine());
    }

    private int told(Session session, Matrix matrix, Study.Result result) throws IOException {
        if (result.failure() != null) {
            throw result.failure();
        }
        RunRecord record =
                session.record(result.trials(), List.of(), result.ended(), matrix.text())
                        .with(result.study());
        new Results(session, output).tellStudy(record);
        if (session.interrupted()) {
            return ExitCode.INTERRUPTED;
        }
        if (result.invalid()) {
            return ExitCode.INVALID;
        }
        return result.objectiveMissed() ? ExitCode.OBJECTIVE_MISSED : ExitCode.DONE;
    }
}
