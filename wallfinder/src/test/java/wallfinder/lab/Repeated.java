package wallfinder.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Matrix;
import wallfinder.lab.study.Study;
import wallfinder.record.RunRecord;

/// A case or cell that [Stability] measures several times.
sealed interface Repeated {
    /// Studies whose cells show a wall and take less than half a minute each. The other studies
    /// drive a client program for 15 s or more, hold connections, or measure memory.
    List<String> STUDIES = List.of("webflux-backlog", "webflux-event-loops", "webflux-sysctls");

    /// The name on the command line.
    String name();

    /// The study of a cell, or the name of a case.
    String group();

    /// A description for the list of unstable cases.
    String description();

    /// The needed programs that this host does not have.
    List<String> missing();

    RunRecord.Trial measure(Path root, CataloguePrograms programs, Path own) throws Exception;

    /// Whether other programs took CPU from this measurement.
    boolean starved(RunRecord.Trial trial);

    /// How the verdict differs from the expected one. A cell of a study has no expected verdict.
    List<String> wrong(RunRecord.Trial trial);

    /// A case of the catalogue.
    record Planted(CatalogueCase planted) implements Repeated {
        @Override
        public String name() {
            return planted.name();
        }

        @Override
        public String group() {
            return planted.name();
        }

        @Override
        public String description() {
            return "expects " + planted.expects().text();
        }

        @Override
        public List<String> missing() {
            return CataloguePrograms.missing(planted);
        }

        @Override
        public RunRecord.Trial measure(Path root, CataloguePrograms programs, Path own)
                throws Exception {
            return planted.measure(root, programs, own);
        }

        /// Here an invalid result is a headline like any other.
        @Override
        public boolean starved(RunRecord.Trial trial) {
            return planted.startsOthers() ? planted.starved(trial) : PlantedRun.cpuTaken(trial);
        }

        @Override
        public List<String> wrong(RunRecord.Trial trial) {
            return planted.expects().wrong(trial.diagnosis());
        }
    }

    /// A cell of a study's matrix.
    ///
    /// @param number the cell's number from 1, as in the study's results
    record Cell(String study, int number, Matrix.Cell cell) implements Repeated {
        @Override
        public String name() {
            return study + "-" + number;
        }

        @Override
        public String group() {
            return study;
        }

        @Override
        public String description() {
            return cell.describe();
        }

        @Override
        public List<String> missing() {
            return List.of();
        }

        @Override
        public RunRecord.Trial measure(Path root, CataloguePrograms programs, Path own) {
            try (PlantedRun run = new PlantedRun(root, own)) {
                int connections = cell.experiment().load().connections();
                return run.single(cell.experiment(), connections, name());
            }
        }

        @Override
        public boolean starved(RunRecord.Trial trial) {
            return PlantedRun.cpuTaken(trial);
        }

        @Override
        public List<String> wrong(RunRecord.Trial trial) {
            return List.of();
        }
    }

    /// All cases by name, then the cells of each study.
    static List<Repeated> all(Path root, long seed) throws Exception {
        List<Repeated> all = new ArrayList<>();
        CatalogueCase.all(root, seed).forEach(planted -> all.add(new Planted(planted)));
        for (String study : STUDIES) {
            Matrix matrix = Study.read(root.resolve("experiments").resolve(study + ".yaml"));
            for (int number = 1; number <= matrix.cells().size(); number++) {
                all.add(new Cell(study, number, matrix.cells().get(number - 1)));
            }
        }
        return all;
    }
}
