package wallfinder.lab.study;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.UsageException;
import wallfinder.lab.find.Find;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Planned;
import wallfinder.live.Step;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;
import wallfinder.sandbox.Jvm;
import wallfinder.sandbox.Sandbox;

/// Measures each cell of a matrix in several rounds, each trial in a fresh sandbox, and compares
/// them. Every second round is in reverse order, so that a drift of the host affects all cells
/// alike.
public final class Study {
    /// After this many failures and no measurement a cell is left out.
    private static final int FAILURES_MAX = 2;

    /// A trial whose generator got too little CPU is repeated once.
    private static final int ATTEMPTS_MAX = 2;

    private final Matrix matrix;
    private final RunContext context;
    private final SandboxTrialRunner runner;
    private final StudyFolder folder;
    private final List<TrialFigures.Kept> measured = new ArrayList<>();
    private final Map<StudyTrial.Slot, TrialFigures.Kept> bySlot = new HashMap<>();

    /// The failures of earlier runs of this study. Each counts until its trial is repeated.
    private final List<TrialFigures.Kept> failedBefore = new ArrayList<>();

    /// Why this host cannot measure a cell, by the cell's number.
    private final Map<Integer, String> skipped = new LinkedHashMap<>();

    private final VariedSysctls varied;

    private final long startNanos = System.nanoTime();
    private final List<Double> tookSeconds = new ArrayList<>();
    private final StudyWarmUps warmUps = new StudyWarmUps();
    private @Nullable RuntimeException lastFailure;
    private int nextOrder;

    /// @param trials read from the disk on demand
    /// @param ended how the study ended, in one sentence
    /// @param failure why nothing could be measured, or null
    public record Result(
            List<RunRecord.Trial> trials,
            StudyRecord study,
            String ended,
            @Nullable RuntimeException failure) {
        /// Whether a cell missed its objective, or failed although it has one.
        public boolean objectiveMissed() {
            return study.cells().stream()
                    .anyMatch(cell -> Boolean.FALSE.equals(cell.objectiveMet()));
        }

        /// Whether the generator was the wall in all trials of some cell. Then neither this cell's
        /// figures nor the best cell are known.
        public boolean invalid() {
            return study.cells().stream().anyMatch(cell -> !cell.counts() && cell.invalid() > 0);
        }
    }

    /// @param resume whether to continue the study in the run's folder
    public Study(Matrix matrix, boolean resume, RunContext context, SandboxTrialRunner runner) {
        this.matrix = matrix;
        this.context = context;
        this.runner = runner;
        this.varied = VariedSysctls.of(matrix);
        findImpossible();
        this.folder =
                resume
                        ? StudyFolder.resume(context.folder(), matrix, context.home())
                        : StudyFolder.begin(context.folder(), matrix, context.home());
        folder.read(trial -> {
            checkSame(trial);
            warmUps.note(cell(trial.slot()).experiment().load(), trial.warmup());
            TrialFigures.Kept kept = TrialFigures.Kept.of(trial);
            if (kept.failure() == null) {
                add(kept);
            } else {
                failedBefore.add(kept);
            }
        });
        measured.sort(Comparator.comparingInt(TrialFigures.Kept::order));
    }

    private void add(TrialFigures.Kept trial) {
        nextOrder = Math.max(nextOrder, trial.order() + 1);
        measured.add(trial);
        bySlot.put(trial.slot(), trial);
    }

    /// Reads an experiment with its matrix, and finds the JVMs on this host.
    public static Matrix read(Path file) {
        return ExperimentFile.readMatrix(file, Study::jvmHome);
    }

    /// The folder of the newest study with this name.
    ///
    /// @throws UsageException if there is no such study
    public static Path newest(Path runs, String name) {
        return StudyFolder.newest(runs, name);
    }

    /// @param home the folder of the product
    /// @throws UsageException if this study cannot continue
    public static void checkResumable(Path folder, Matrix matrix, Path home) {
        StudyFolder.resume(folder, matrix, home);
    }

    /// The folder of a JVM of this host, by its version or path.
    public static Optional<Path> jvmHome(String asked) {
        try {
            return Optional.of(Jvm.of(asked).home());
        } catch (UsageException e) {
            return Optional.empty();
        }
    }

    /// Finds the cells for which this host lacks a JVM or the permission to set a limit.
    private void findImpossible() {
        Map<String, RuntimeException> reasons = new LinkedHashMap<>();
        for (int cell = 1; cell <= matrix.cells().size(); cell++) {
            try {
                checkPossible(matrix.cells().get(cell - 1));
            } catch (UsageException | EnvironmentException e) {
                String reason = String.valueOf(e.getMessage());
                skipped.put(cell, reason);
                reasons.putIfAbsent(reason, e);
            }
        }
        if (skipped.size() == matrix.cells().size()) {
            throw reasons.values().iterator().next();
        }
        reasons.keySet().forEach(reason -> context.progress().say("cells are skipped: " + reason));
    }

    private static void checkPossible(Matrix.Cell cell) {
        if (cell.experiment().host() != null) {
            return; // that host refuses what it does not allow
        }
        cell.jvms().forEach(Jvm::of);
        Sandbox.checkLimits(cell.experiment().services());
    }

    private void checkSame(StudyTrial trial) {
        boolean same =
                trial.cell() <= matrix.cells().size()
                        && new TreeMap<>(matrix.cells().get(trial.cell() - 1).factors())
                                .equals(trial.values());
        if (!same) {
            throw new UsageException(
                    "the study in " + context.folder() + " cannot be resumed",
                    "its %s belongs to another matrix".formatted(trial.name()),
                    "begin anew");
        }
    }

    /// Measures the missing trials. If the user stops it, returns what was measured so far.
    public Result run() {
        sayPlan();
        boolean ended = true;
        try {
            // Trials that the host disturbed are repeated after all others.
            for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
                for (int round = 1; round <= matrix.repeat() && ended; round++) {
                    ended = round(round, attempt);
                }
            }
        } catch (CancellationException e) {
            ended = false;
        }
        return result(ended);
    }

    private void sayPlan() {
        int all = (matrix.cells().size() - skipped.size()) * matrix.repeat();
        int left = slots(1).size();
        String plan =
                "%s, %s: %s"
                        .formatted(
                                counted(matrix.cells().size() - skipped.size(), "cell"),
                                counted(matrix.repeat(), "round"),
                                counted(all, "trial"));
        String kept = left == all ? "" : ", %d of them measured before".formatted(all - left);
        String failed =
                failedBefore.isEmpty()
                        ? ""
                        : ", %s to repeat".formatted(counted(failedBefore.size(), "failed trial"));
        double seconds = slots(1).stream().mapToDouble(this::secondsMin).sum();
        String least =
                seconds == 0
                        ? ""
                        : "; each starts its services and warms up, so at least " + time(seconds);
        context.progress().say(plan + kept + failed + least);
    }

    private static String counted(int count, String one) {
        return count + " " + one + (count == 1 ? "" : "s");
    }

    /// The shortest time that a trial takes. A load of a number of requests, and one that a command
    /// drives, may end at any time.
    private double secondsMin(StudyTrial.Slot slot) {
        return switch (cell(slot).experiment().load()) {
            case LoadSpec.Command _ -> 0;
            case LoadSpec.Http http when http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX -> 0;
            case LoadSpec load -> load.duration().toMillis() / 1e3;
        };
    }

    private Matrix.Cell cell(StudyTrial.Slot slot) {
        return matrix.cells().get(slot.cell() - 1);
    }

    /// All missing slots, round by round.
    List<StudyTrial.Slot> slots(int attempt) {
        List<StudyTrial.Slot> slots = new ArrayList<>();
        for (int round = 1; round <= matrix.repeat(); round++) {
            slots.addAll(slots(round, attempt));
        }
        return slots;
    }

    private List<StudyTrial.Slot> slots(int round, int attempt) {
        List<StudyTrial.Slot> slots = new ArrayList<>();
        for (int cell = 1; cell <= matrix.cells().size(); cell++) {
            StudyTrial.Slot slot = new StudyTrial.Slot(cell, round, attempt);
            TrialFigures.Kept before = bySlot.get(new StudyTrial.Slot(cell, round, attempt - 1));
            boolean wanted = attempt == 1 || (before != null && before.starved());
            if (wanted
                    && !bySlot.containsKey(slot)
                    && !skipped.containsKey(cell)
                    && !givenUp(cell)) {
                slots.add(slot);
            }
        }
        return round % 2 == 0 ? slots.reversed() : slots;
    }

    /// @return false if the user stopped
    private boolean round(int round, int attempt) {
        for (StudyTrial.Slot slot : slots(round, attempt)) {
            if (context.interruption().isRequested() || !measure(slot)) {
                return false;
            }
        }
        return true;
    }

    private boolean givenUp(int cell) {
        List<TrialFigures.Kept> of =
                measured.stream().filter(trial -> trial.cell() == cell).toList();
        return of.size() >= FAILURES_MAX && of.stream().allMatch(t -> t.failure() != null);
    }

    private boolean measure(StudyTrial.Slot slot) {
        Matrix.Cell cell = cell(slot);
        TreeMap<String, String> values = new TreeMap<>(cell.factors());
        long start = System.nanoTime();
        showStep(slot, cell, start);
        StudyTrial trial;
        try {
            LoadSpec load = cell.experiment().load();
            RunRecord.Trial single = runner.shown(cell.experiment(), warmUps.of(load), slot.name());
            warmUps.note(load, single.warmup());
            String missing = varied.missing(single.allCaveats());
            if (missing != null) {
                leaveOut(slot.cell(), missing);
                return true;
            }
            trial = StudyTrial.measured(nextOrder, slot, values, single);
        } catch (UsageException | EnvironmentException e) {
            lastFailure = e;
            trial = StudyTrial.failed(nextOrder, slot, values, String.valueOf(e.getMessage()));
        }
        if (context.interruption().isRequested()) {
            return false; // the trial is incomplete
        }
        folder.keep(trial);
        TrialFigures.Kept kept = TrialFigures.Kept.of(trial);
        add(kept);
        tookSeconds.add((System.nanoTime() - start) / 1e9);
        sayMeasured(kept, cell);
        return true;
    }

    /// A trial has shown that a cell cannot have its settings on this host.
    private void leaveOut(int cell, String why) {
        lastFailure =
                new EnvironmentException(
                        "cell %d cannot be measured".formatted(cell),
                        why,
                        "run this as root on one host, or leave this value out of the matrix");
        skipped.put(cell, why);
        context.progress().say("cell %d is skipped: %s".formatted(cell, why));
    }

    /// Before the first trial has ended, only the sum of the measured times is known.
    private void showStep(StudyTrial.Slot slot, Matrix.Cell cell, long now) {
        double mean = meanSeconds();
        Planned time =
                mean > 0
                        ? Planned.estimated(
                                startNanos, now, trialsLeft() * mean, Planned.Bound.ABOUT)
                        : Planned.estimated(
                                startNanos,
                                now,
                                slots(1).stream().mapToDouble(this::secondsMin).sum(),
                                Planned.Bound.AT_LEAST);
        context.progress().step(new Step(where(slot) + factors(cell), time));
    }

    private String where(StudyTrial.Slot slot) {
        return "round %d of %d, cell %d of %d"
                .formatted(slot.round(), matrix.repeat(), slot.cell(), matrix.cells().size());
    }

    private static String factors(Matrix.Cell cell) {
        return cell.factors().isEmpty() ? "" : " (" + cell.describe() + ")";
    }

    private int trialsLeft() {
        return slots(1).size() + slots(ATTEMPTS_MAX).size();
    }

    private double meanSeconds() {
        return tookSeconds.stream().mapToDouble(s -> s).average().orElse(0);
    }

    private void sayMeasured(TrialFigures.Kept trial, Matrix.Cell cell) {
        int left = trialsLeft();
        String time = left == 0 ? "" : "; about %s left".formatted(time(left * meanSeconds()));
        context.progress().say(where(trial.slot()) + factors(cell) + ": " + describe(trial) + time);
    }

    private static String describe(TrialFigures.Kept kept) {
        if (kept.failure() != null) {
            return "it failed: " + kept.failure();
        }
        TrialFigures figures = kept.figures();
        String rate =
                figures.held() != null
                        ? held(figures.held())
                        : Double.isNaN(figures.perSecond())
                                ? "rate unknown"
                                : "%,.1f answers/s".formatted(figures.perSecond());
        String p99 =
                Double.isNaN(figures.p99Nanos())
                        ? ""
                        : ", p99 %,.2f ms".formatted(figures.p99Nanos() / 1e6);
        return rate
                + p99
                + ", "
                + figures.verdict()
                + (kept.starved() ? " (the generator got too little CPU)" : "");
    }

    private static String held(StudyRecord.Held held) {
        return "%,.0f of %,.0f alive, %,.1f connects/s"
                .formatted(held.alive(), held.connections(), held.connectsPerSecond());
    }

    private static String time(double seconds) {
        Duration time = Duration.ofMillis((long) (seconds * 1e3));
        return time.toHours() > 0
                ? "%d h %02d min".formatted(time.toHours(), time.toMinutesPart())
                : time.toMinutes() > 0
                        ? "%d min %02d s".formatted(time.toMinutes(), time.toSecondsPart())
                        : "%.0f s".formatted(seconds);
    }

    private Result result(boolean ended) {
        failedBefore.stream()
                .filter(trial -> !bySlot.containsKey(trial.slot()))
                .forEach(measured::add);
        List<RunRecord.Trial> trials = folder.trials(measured);
        return new Result(
                trials,
                new StudyFigures(matrix, measured, skipped).study(),
                ended ? summary() : Find.INTERRUPTED,
                trials.isEmpty() && ended ? lastFailure : null);
    }

    private String summary() {
        String without =
                IntStream.rangeClosed(1, matrix.cells().size())
                        .filter(cell ->
                                measured.stream()
                                        .noneMatch(t -> t.cell() == cell && t.failure() == null))
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(", "));
        return without.isEmpty()
                ? "all cells were measured"
                : "all cells were measured except " + without;
    }
}
