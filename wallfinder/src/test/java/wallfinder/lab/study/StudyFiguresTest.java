package wallfinder.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.RatioInterval.Effect;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.UsageException;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.SampleLoad;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.report.GitHubOutputs;
import wallfinder.report.OpenMetrics;
import wallfinder.report.Terminal;

/// The comparison of trials with given figures.
class StudyFiguresTest {
    private static final double SECONDS = 10;
    private static final int COLLECTIONS_MAX = 100;

    /// A JVM that ended before its mappings were read.
    private static final JvmFacts RUNTIME =
            new JvmFacts("25.0.3", "a vendor", "/jvm", List.of("classes.jsa"), List.of(), null);

    private static final SandboxFacts FACTS =
            SimulatedTrials.facts(
                    "namespaces",
                    1,
                    1,
                    true,
                    List.of(
                            new SandboxFacts.ServiceFacts(
                                    "web",
                                    1,
                                    List.of(80),
                                    List.of(),
                                    new TreeMap<>(),
                                    "25",
                                    RUNTIME)));

    private static final Path HOME = Path.of("/nonexistent");

    @TempDir private Path folder;

    private final List<StudyTrial> trials = new ArrayList<>();

    private Matrix matrix(String factors) throws Exception {
        return matrix(factors, "");
    }

    private Matrix matrix(String factors, String objective) throws Exception {
        String yaml =
                """
                name: given
                services:
                  web: { command: "serve {pool}", ready: { log: ready },
                    knobs: { pool: { value: 1, moves: server-concurrency } } }
                load: { url: "http://{server}:1/" }
                repeat: 3
                matrix: { %s }
                %s
                """
                        .formatted(factors, objective);
        Path file = Files.writeString(folder.resolve("given.yaml"), yaml);
        return Study.read(file);
    }

    private void measured(Matrix matrix, int cell, int round, double rate, double p99Millis) {
        measured(matrix, cell, round, rate, p99Millis, 0);
    }

    /// @param waiting the share of the time in which the generator waited for a CPU
    private void measured(
            Matrix matrix, int cell, int round, double rate, double p99Millis, double waiting) {
        measured(matrix, cell, round, rate, p99Millis, waiting, null);
    }

    private void judged(Matrix matrix, int cell, int round, double rate, boolean met) {
        measured(matrix, cell, round, rate, met ? 10 : 8, 0, met);
    }

    private void failed(int cell, int round) {
        trials.add(
                StudyTrial.failed(
                        trials.size(),
                        new StudyTrial.Slot(cell, round, 1),
                        new TreeMap<>(),
                        "it did not start"));
    }

    private void measured(
            Matrix matrix,
            int cell,
            int round,
            double rate,
            double p99Millis,
            double waiting,
            @Nullable Boolean objectiveMet) {
        measured(matrix, cell, round, rate, p99Millis, waiting, objectiveMet, 0);
    }

    private void failing(Matrix matrix, int cell, int round, double rate, long errors) {
        measured(matrix, cell, round, rate, 10, 0, null, errors);
    }

    private void measured(
            Matrix matrix,
            int cell,
            int round,
            double rate,
            double p99Millis,
            double waiting,
            @Nullable Boolean objectiveMet,
            long errors) {
        Histogram response = new Histogram(3);
        response.recordValueWithCount((long) (p99Millis * 1e6), (long) (rate * SECONDS));
        LoadOutcome load =
                SampleLoad.of(
                                64,
                                SECONDS,
                                (long) (rate * SECONDS),
                                errors,
                                response,
                                new LoadOutcome.Generator(
                                        1, 1 - waiting, waiting, Map.of(), SampleLoad.NO_STALLS))
                        .withUnloaded(response, List.of(), 0, 0);
        Observation observation =
                new Observation(load, new Timeline(new long[0], List.of()), FACTS);
        trials.add(
                new StudyTrial(
                        StudyTrial.SCHEMA,
                        trials.size(),
                        cell,
                        round,
                        1,
                        new TreeMap<>(matrix.cells().get(cell - 1).factors()),
                        null,
                        new TreeMap<>(),
                        observation,
                        List.of(),
                        objectiveMet,
                        null));
    }

    private StudyRecord study(Matrix matrix) {
        return new StudyFigures(
                        matrix, trials.stream().map(TrialFigures.Kept::of).toList(), Map.of())
                .study();
    }

    private RunRecord run(Matrix matrix, StudyRecord study) {
        List<RunRecord.Trial> all = trials.stream().map(StudyTrial::trial).toList();
        return new RunRecord("", "given", "", new TreeMap<>(), all, List.of(), "", matrix.text())
                .with(study);
    }

    private String table(Matrix matrix, StudyRecord study) {
        return new Terminal(false).study(run(matrix, study), null);
    }

    @Test
    void drift_that_affects_all_cells_is_no_difference_between_them() throws Exception {
        Matrix matrix = matrix("pool: [1, 2, 4]");
        for (int round = 1; round <= 3; round++) {
            double drift = 1.0 / round;
            measured(matrix, 1, round, 1_000 * drift, 10);
            measured(matrix, 2, round, 1_010 * drift, 10.1);
            measured(matrix, 3, round, (3_000 + round) * drift, 5);
        }
        StudyRecord study = study(matrix);

        assertThat(study.cells().get(1).against().throughput().effect()).isEqualTo(Effect.NONE);
        assertThat(study.cells().get(2).against().throughput().ratio()).isBetween(2.99, 3.01);
        assertThat(study.cells().get(2).against().throughput().low()).isGreaterThan(2.9);
        assertThat(study.best()).containsExactly(new StudyRecord.Best(1, 3, List.of()));
        assertThat(table(matrix, study))
                .contains(
                        "no difference to cell 1, ", "3.00 times cell 1, ", "Best: cell 3 (pool 4)")
                .contains("JVMs: web: 25.0.3 of a vendor, its default archive")
                .contains("pool 4 against 1");
    }

    @Test
    void trials_without_a_cpu_for_the_generator_are_shown_and_not_averaged() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        for (int round = 1; round <= 3; round++) {
            measured(matrix, 1, round, 1_000, 10);
            measured(matrix, 2, round, round == 2 ? 10 : 2_000, 10, round == 2 ? 0.9 : 0);
        }
        StudyRecord.Cell cell = study(matrix).cells().getLast();

        assertThat(cell.invalid()).isEqualTo(1);
        assertThat(cell.trials()).containsExactly("round-1-cell-2", "round-3-cell-2");
        assertThat(cell.figures().perSecond()).isEqualTo(2_000);
        assertThat(cell.against().throughput().pairs()).isEqualTo(2);
        assertThat(table(matrix, study(matrix))).contains("2 + 1 invalid", "1 of them invalid");
    }

    /// The rounds with answers do not stand for those without.
    @Test
    void a_cell_that_answered_nothing_in_some_rounds_has_no_gain() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        for (int round = 1; round <= 5; round++) {
            measured(matrix, 1, round, 1_000, 10);
            failing(matrix, 2, round, round <= 2 ? 0 : 1_300, round <= 2 ? 5_000 : 0);
        }
        RatioInterval throughput = study(matrix).cells().getLast().against().throughput();

        assertThat(throughput.pairs()).isEqualTo(5);
        assertThat(throughput.ratio()).isLessThan(1);
        assertThat(throughput.effect()).isNotEqualTo(Effect.MORE);
    }

    @Test
    void a_cell_with_only_invalid_trials_is_a_lower_bound_and_never_the_best() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        for (int round = 1; round <= 3; round++) {
            measured(matrix, 1, round, 1_000, 10);
            measured(matrix, 2, round, 2_000, 10, 0.9);
        }
        StudyRecord study = study(matrix);

        assertThat(study.cells().getLast().counts()).isFalse();
        assertThat(study.cells().getLast().against()).isNull();
        assertThat(study.best().getFirst().cell()).isEqualTo(1);
        assertThat(table(matrix, study)).contains(">= 2,000.0");
    }

    @Test
    void a_cell_whose_service_mostly_fails_to_start_misses_its_objective() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]", "objective: p99 < 50ms");
        judged(matrix, 1, 1, 1_000, true);
        failed(1, 2);
        failed(1, 3);
        judged(matrix, 2, 1, 1_000, true);
        judged(matrix, 2, 2, 1_000, true);
        failed(2, 3);
        assertThat(study(matrix).cells())
                .extracting(StudyRecord.Cell::objectiveMet)
                .containsExactly(false, true);
    }

    /// Errors can miss an objective although the tail is the shortest.
    @Test
    void a_cell_that_misses_the_objective_is_not_the_best_if_another_one_meets_it()
            throws Exception {
        Matrix matrix = matrix("pool: [1, 2]", "objective: p99 < 50ms, errors < 0.1%");
        for (int round = 1; round <= 3; round++) {
            judged(matrix, 1, round, 1_000 + round, true);
            judged(matrix, 2, round, 1_000 + round, false);
        }
        assertThat(study(matrix).best()).containsExactly(new StudyRecord.Best(1, 1, List.of()));
        trials.clear();
        for (int round = 1; round <= 3; round++) {
            measured(matrix, 1, round, 1_000 + round, 10, 0, false);
            judged(matrix, 2, round, 1_000 + round, false);
        }
        assertThat(study(matrix).best())
                .as("if none meets it, all can be the best")
                .containsExactly(new StudyRecord.Best(1, 2, List.of()));
    }

    @Test
    void the_figures_for_ci_are_those_of_the_best_cell() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        for (int round = 1; round <= 3; round++) {
            measured(matrix, 1, round, 1_000 + round, 10);
            measured(matrix, 2, round, 3_000 + round, 10);
        }
        assertThat(GitHubOutputs.text(run(matrix, study(matrix)), "runs/1"))
                .contains("rate=3002\n");
    }

    /// A trial counts failed and good answers apart, so neither of them is the number of all.
    @Test
    void the_failed_share_of_a_cell_is_that_of_all_its_requests() throws Exception {
        Matrix matrix = matrix("pool: [1, 2, 3]");
        failing(matrix, 1, 1, 100, 3_000);
        failing(matrix, 2, 1, 0, 3_000);
        failing(matrix, 3, 1, 0, 0);
        StudyRecord study = study(matrix);
        assertThat(study.cells())
                .extracting(cell -> cell.figures().errorShare())
                .containsExactly(0.75, 1.0, Double.NaN);
        Path metrics = folder.resolve("metrics.txt");
        OpenMetrics.write(run(matrix, study), metrics);
        assertThat(Files.readAllLines(metrics))
                .filteredOn(line -> line.startsWith("wallfinder_failed_ratio{"))
                .extracting(line -> line.substring(line.indexOf('}') + 2))
                .containsExactly("0.75", "1");
    }

    @Test
    void a_cell_can_be_the_best_with_one_failed_request_in_a_hundred() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        failing(matrix, 1, 1, 990, 100);
        failing(matrix, 2, 1, 980, 200);
        assertThat(study(matrix).best()).containsExactly(new StudyRecord.Best(1, 1, List.of()));
    }

    @Test
    void cells_with_one_trial_are_shown_without_a_comparison() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        measured(matrix, 1, 1, 1_000, 10);
        measured(matrix, 2, 1, 1_010, 10);
        StudyRecord study = study(matrix);

        assertThat(study.cells().getLast().against().throughput()).isNull();
        assertThat(study.best()).containsExactly(new StudyRecord.Best(1, 2, List.of()));
        assertThat(table(matrix, study))
                .contains("unknown: too little data", "0 errors in 10.0 s (one trial)");
    }

    @Test
    void different_loads_are_not_compared_and_an_effect_names_its_cells() throws Exception {
        Matrix matrix = matrix("pool: [1, 2], connections: [10, 100]");
        double[] rates = {100, 100, 100, 900};
        for (int round = 1; round <= 3; round++) {
            for (int cell = 1; cell <= 4; cell++) {
                measured(matrix, cell, round, rates[cell - 1] + round, 10);
            }
        }
        StudyRecord study = study(matrix);

        assertThat(study.loads()).isEqualTo(2);
        assertThat(study.factors())
                .extracting(StudyRecord.Factor::changesLoad)
                .containsExactly(false, true);
        assertThat(study.cells().get(1).against()).isNull();
        assertThat(study.cells().get(3).against().cell()).isEqualTo(2);
        assertThat(table(matrix, study))
                .contains(
                        "2 different loads (connections)",
                        "it depends: no difference, ",
                        "Best with connections 100: cell 4",
                        "times, ",
                        "with connections 100",
                        "(another load)",
                        "across all loads");
    }

    @Test
    void a_saved_trial_is_read_back_with_the_same_diagnosis() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        measured(matrix, 1, 1, 1_000, 10);
        Path run = Files.createDirectories(folder.resolve("run"));
        StudyFolder kept = StudyFolder.begin(run, matrix, HOME);
        kept.keep(trials.getFirst());
        kept.keep(
                StudyTrial.failed(
                        1, new StudyTrial.Slot(2, 1, 1), new TreeMap<>(Map.of("pool", "2")), "no"));

        List<StudyTrial> read = new ArrayList<>();
        StudyFolder.resume(run, matrix, HOME).read(read::add);

        read.sort(Comparator.comparingInt(StudyTrial::order));
        assertThat(read)
                .extracting(StudyTrial::name)
                .containsExactly("round-1-cell-1", "round-1-cell-2");
        RunRecord.Trial before = trials.getFirst().trial();
        RunRecord.Trial after = read.getFirst().trial();
        assertThat(after.observation().load()).isEqualTo(before.observation().load());
        assertThat(after.observation().facts()).isEqualTo(before.observation().facts());
        assertThat(after.diagnosis()).isEqualTo(before.diagnosis());
        assertThat(read.getLast().failure()).isEqualTo("no");
        assertThatThrownBy(() -> StudyFolder.resume(run, matrix("pool: [1, 3]"), HOME))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("the experiment changed since then");
        assertThatThrownBy(() -> StudyFolder.begin(run, matrix, HOME))
                .hasMessageContaining("contains another study");
        Files.writeString(run.resolve("measured/round-2-cell-1.json.gz"), "cut short");
        assertThatThrownBy(() -> StudyFolder.resume(run, matrix, HOME).read(_ -> {}))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("round-2-cell-1");
    }

    @Test
    void the_figures_of_a_saved_trial_do_not_keep_its_observation_in_memory() throws Exception {
        Matrix matrix = matrix("pool: [1, 2]");
        measured(matrix, 1, 1, 1_000, 10);
        measured(matrix, 2, 1, 2_000, 10);
        StudyFolder run = StudyFolder.begin(folder.resolve("run"), matrix, HOME);
        trials.forEach(run::keep);
        List<TrialFigures.Kept> kept = trials.stream().map(TrialFigures.Kept::of).toList();
        WeakReference<Observation> seen = new WeakReference<>(trials.getFirst().observation());

        trials.clear();

        for (int turn = 0; seen.get() != null && turn < COLLECTIONS_MAX; turn++) {
            System.gc();
        }
        assertThat(seen.get()).isNull();
        assertThat(kept.getFirst().figures().perSecond()).isEqualTo(1_000);
        List<RunRecord.Trial> read = run.trials(kept.reversed());
        assertThat(read)
                .extracting(RunRecord.Trial::name)
                .containsExactly("round-1-cell-1", "round-1-cell-2");
        assertThat(read.getLast().observation().load().answered()).isEqualTo(20_000);
    }

    @Test
    void a_study_whose_targets_or_bodies_have_changed_is_not_resumed() throws Exception {
        Path body = Files.writeString(folder.resolve("body.json"), "{}");
        Path targets = folder.resolve("targets.txt");
        Files.writeString(targets, "POST /a\n@body.json\n");
        Path file = folder.resolve("given.yaml");
        Files.writeString(
                file,
                """
                services: { web: { command: serve, ready: { log: ready } } }
                load: { url: "http://{server}:1/", targets: %s }
                """
                        .formatted(targets));
        Path run = Files.createDirectories(folder.resolve("run"));
        StudyFolder.begin(run, Study.read(file), HOME);

        Files.writeString(targets, "# the same\nPOST /a\n@body.json\n");
        StudyFolder.resume(run, Study.read(file), HOME);
        Files.writeString(body, "[]");
        assertThatThrownBy(() -> StudyFolder.resume(run, Study.read(file), HOME))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(body + " changed since then");
        Files.writeString(body, "{}");
        Files.writeString(targets, "POST /b\n@body.json\n");
        assertThatThrownBy(() -> StudyFolder.resume(run, Study.read(file), HOME))
                .hasMessageContaining("targets changed since then");
        Files.delete(run.resolve("inputs.sha256")); // as in a study of an older version
        StudyFolder.resume(run, Study.read(file), HOME);
    }

    @Test
    void a_study_whose_program_or_host_has_changed_is_not_resumed() throws Exception {
        Path old = Files.writeString(folder.resolve("old.jar"), "1");
        Path jar = Files.writeString(folder.resolve("new.jar"), "2");
        Path file = folder.resolve("given.yaml");
        Files.writeString(
                file,
                """
                services:
                  web: { command: "java -jar '{build}' {server}", cwd: %s, ready: { log: ready } }
                load: { url: "http://{server}:1/" }
                matrix: { build: [old.jar, %s] }
                """
                        .formatted(folder, jar));
        Path run = Files.createDirectories(folder.resolve("run"));
        StudyFolder.begin(run, Study.read(file), HOME);
        StudyFolder.resume(run, Study.read(file), HOME);

        Files.writeString(jar, "3");
        assertThatThrownBy(() -> StudyFolder.resume(run, Study.read(file), HOME))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(jar + " changed since then");
        Files.writeString(jar, "2");
        Files.delete(old);
        assertThatThrownBy(() -> StudyFolder.resume(run, Study.read(file), HOME))
                .hasMessageContaining(old + " changed since then");
        Files.writeString(old, "1");
        Path inputs = run.resolve("inputs.sha256");
        Files.writeString(
                inputs, Files.readString(inputs).replaceFirst("\\w+(?=  this host)", "0"));
        assertThatThrownBy(() -> StudyFolder.resume(run, Study.read(file), HOME))
                .hasMessageContaining("this host (its kernel or its CPUs) changed since then");
    }
}
