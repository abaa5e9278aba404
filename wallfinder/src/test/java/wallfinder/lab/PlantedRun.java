package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.diagnosis.Walls;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.FitPlan;
import wallfinder.lab.find.Find;
import wallfinder.lab.fit.Fit;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.load.EngineChoice;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.RunLock;

/// A run in which a wall is planted: experiments as a user writes them, driven through the whole
/// line.
public final class PlantedRun implements AutoCloseable {
    /// On a machine that others use too, the generator may not get its CPU. That makes a
    /// measurement invalid, which is right, and no reason to fail: it is repeated this often.
    private static final int ATTEMPTS_MAX = 6;

    /// From here on the latencies are as much the generator's as the service's.
    private static final double WAITING_SHARE_MAX = 0.25;

    /// A program of the tests, which an experiment names with a dollar sign before.
    private static final Pattern PROGRAM = Pattern.compile("\\$([A-Za-z]+\\.(?:py|js|java))\\b");

    private final Path home;
    private final Path folder;
    private final RunLock lock = RunLock.hold("planted-" + UUID.randomUUID());
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Interruption interruption = new Interruption();
    private Consumer<String> onLive = state -> {};

    public PlantedRun(Path folder) {
        this(folder, folder);
    }

    /// @param home what `{home}` stands for: the folder of the project
    PlantedRun(Path home, Path folder) {
        this.home = home;
        this.folder = folder;
    }

    public RunContext context() {
        Progress progress =
                new Progress() {
                    @Override
                    public void say(String line) {
                        said.add(line);
                    }

                    @Override
                    public void live(String state) {
                        onLive.accept(state);
                    }
                };
        return new RunContext(home, lock, folder, EngineChoice.AUTO, interruption, progress);
    }

    public Interruption interruption() {
        return interruption;
    }

    /// Hears what the run is doing at each moment.
    public void onLive(Consumer<String> listener) {
        onLive = listener;
    }

    /// What the run told so far.
    public List<String> said() {
        return said;
    }

    /// A file beside the tests, by its name.
    public static Path resource(String name) {
        try {
            return Path.of(URI.create(PlantedRun.class.getResource(name).toString()));
        } catch (NullPointerException e) {
            throw new IllegalArgumentException("no resource " + name, e);
        }
    }

    /// Reads an experiment from a file of its own, as the command does.
    ///
    /// @param yaml `$name` stands for the path of that resource
    public Experiment experiment(String yaml) throws Exception {
        return ExperimentFile.read(file(yaml));
    }

    /// The same for what is to be fitted.
    public FitPlan fitPlan(String yaml) throws Exception {
        return Fit.read(file(yaml));
    }

    private Path file(String yaml) throws Exception {
        String text = PROGRAM.matcher(yaml).replaceAll(m -> resource(m.group(1)).toString());
        Path file = Files.createTempFile(folder, "experiment-", ".yaml");
        return Files.writeString(file, text);
    }

    /// Measures at one load where a wall is planted, again if the generator did not get its CPU and
    /// the wall was not seen for it.
    RunRecord.Trial planted(String yaml, int connections) throws Exception {
        return measured(yaml, connections, trial -> trial.diagnosis().verdict() != Verdict.NAMED);
    }

    /// The same where a starved generator may make another wall bind than the one that is planted.
    public RunRecord.Trial planted(String wall, String yaml, int connections) throws Exception {
        return measured(
                yaml, connections, trial -> !trial.diagnosis().wallId().equals(Optional.of(wall)));
    }

    /// Measures at one load where no wall is planted, again if the generator did not get its CPU
    /// and the result is invalid for it.
    RunRecord.Trial control(String yaml, int connections) throws Exception {
        return measured(yaml, connections, RunRecord.Trial::invalid);
    }

    /// One trial, where nobody knows where the wall is.
    RunRecord.Trial single(Experiment experiment, int connections, String name) {
        return new SandboxTrialRunner(context())
                .single(experiment, connections, WarmUp.likelyBelow(connections), name);
    }

    private RunRecord.Trial measured(
            String yaml, int connections, Predicate<RunRecord.Trial> unusable) throws Exception {
        Experiment experiment = experiment(yaml);
        RunRecord.Trial trial = single(experiment, connections, "trial-1");
        for (int attempt = 2; attempt <= ATTEMPTS_MAX; attempt++) {
            if (!unusable.test(trial) || !starved(trial)) {
                return trial;
            }
            trial = single(experiment, connections, "trial-" + attempt);
        }
        return trial;
    }

    /// True if the generator or the service had to wait for a CPU that others used, here or below a
    /// hypervisor, or if the generator spoilt the result without running out of anything.
    public static boolean starved(RunRecord.Trial trial) {
        boolean ranOut =
                trial.observation().load() instanceof LoadOutcome.Driven load
                        && !load.generator().exhausted().isEmpty();
        return !ranOut && (trial.invalid() || cpuTaken(trial));
    }

    /// True if others used the CPU that the generator or the service waited for: whatever the
    /// verdict is, another measurement may give another one.
    static boolean cpuTaken(RunRecord.Trial trial) {
        return has(trial, "busy-host")
                || has(trial, "noisy-host")
                || (trial.observation().load() instanceof LoadOutcome.Driven load
                        && load.generator().waitingShare() > WAITING_SHARE_MAX);
    }

    static boolean has(RunRecord.Trial trial, String caveat) {
        return trial.diagnosis().caveats().stream().anyMatch(c -> c.id().equals(caveat));
    }

    /// Climbs to the first wall and proves a remedy; what comes after that is not asked for. A
    /// search that ends because the generator did not get its CPU is repeated.
    RunRecord.Rung firstRung(String yaml, String wall, End end) throws Exception {
        onLive(state -> {
            if (state.startsWith("climb-2")) {
                interruption.request();
            }
        });
        Find.Result result = new Find(context()).run(experiment(yaml));
        for (int attempt = 2; tooBusy(result) && attempt <= ATTEMPTS_MAX; attempt++) {
            result = new Find(context()).run(experiment(yaml));
        }
        assertThat(result.ladder()).as(String.join("\n", said)).isNotEmpty();
        RunRecord.Rung rung = result.ladder().getFirst();
        RunRecord.Trial stopped = result.trials().get(rung.trial());
        assertThat(stopped.diagnosis().wallId()).as(describe(stopped)).contains(wall);
        assertThat(stopped.diagnosis().headline().end()).as(describe(stopped)).isEqualTo(end);
        assertThat(rung.remedy()).as(String.join("\n", said)).isNotNull();
        return rung;
    }

    private static boolean tooBusy(Find.Result result) {
        return result.ended().equals(Find.TOO_BUSY)
                || (!result.anyVerified() && result.last() != null && starved(result.last()));
    }

    /// The wall is the headline, on that end, with evidence; every other one is ruled out.
    static void assertNamed(RunRecord.Trial trial, String wall, End end) {
        Diagnosis diagnosis = trial.diagnosis();
        assertThat(diagnosis.verdict()).as(describe(trial)).isEqualTo(Verdict.NAMED);
        assertHeadline(trial, wall, end);
    }

    /// The same, but on a busy host the CPU may bind, too: those who took it are not ours.
    static void assertNamedThoughBusy(RunRecord.Trial trial, String wall, End end) {
        if (starved(trial)) {
            assertThat(trial.diagnosis().wallId()).as(describe(trial)).contains(wall);
            assertThat(trial.diagnosis().headline().end()).as(describe(trial)).isEqualTo(end);
            assertThat(trial.diagnosis().also())
                    .as(describe(trial))
                    .allMatch(binds -> binds.wall() instanceof Cpu);
        } else {
            assertNamed(trial, wall, end);
        }
    }

    static void assertHeadline(RunRecord.Trial trial, String wall, End end) {
        Diagnosis diagnosis = trial.diagnosis();
        assertThat(diagnosis.wallId()).as(describe(trial)).contains(wall);
        assertThat(diagnosis.headline().end()).as(describe(trial)).isEqualTo(end);
        assertThat(diagnosis.headline().evidence()).as(describe(trial)).isNotEmpty();
        Set<String> bound =
                diagnosis.also().stream()
                        .map(b -> b.wall().id().word())
                        .collect(Collectors.toSet());
        assertThat(ruledOut(diagnosis))
                .as(describe(trial))
                .containsExactlyInAnyOrderElementsOf(
                        Walls.ALL.stream()
                                .map(one -> one.id().word())
                                .filter(id -> !id.equals(wall) && !bound.contains(id))
                                .toList());
    }

    /// The wall neither is the headline nor binds beside it, and the reason is told.
    static void assertNotNamed(RunRecord.Trial trial, String wall) {
        Diagnosis diagnosis = trial.diagnosis();
        Stream<Judgement.Binds> binds =
                Stream.concat(Stream.ofNullable(diagnosis.headline()), diagnosis.also().stream());
        assertThat(binds.map(bound -> bound.wall().id().word()))
                .as(describe(trial))
                .doesNotContain(wall);
        assertThat(ruledOut(diagnosis)).as(describe(trial)).contains(wall);
        assertThat(trial.observation().load().answered()).as(describe(trial)).isPositive();
    }

    /// Evidence of that counter, whatever stands in its brackets.
    public static void assertEvidence(RunRecord.Trial trial, String counter) {
        assertThat(trial.diagnosis().headline().evidence())
                .as(describe(trial))
                .anySatisfy(evidence ->
                        assertThat(evidence.name().replaceAll("\\[.*]", "[]")).isEqualTo(counter));
    }

    private static List<String> ruledOut(Diagnosis diagnosis) {
        return diagnosis.ruledOut().stream().map(ruledOut -> ruledOut.wall().id().word()).toList();
    }

    public static LoadOutcome.Driven driven(RunRecord.Trial trial) {
        return (LoadOutcome.Driven) trial.observation().load();
    }

    /// All that is needed to understand a failure.
    public static String describe(RunRecord.Trial trial) {
        LoadOutcome load = trial.observation().load();
        return "%s: %s%nload: %d answered in %.2f s by %d connections, errors %s, %s%n"
                        .formatted(
                                trial.name(),
                                trial.diagnosis(),
                                load.answered(),
                                load.seconds(),
                                load.connections(),
                                load.errors(),
                                figures(load))
                + "response ms: mean %.1f, p99 %.1f%n"
                        .formatted(
                                load.responseNanos().getMean() / 1e6,
                                load.responseNanos().getValueAtPercentile(99) / 1e6)
                + "caveats: "
                + trial.caveats();
    }

    private static String figures(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Requests requests ->
                    "%s, %s, alone %.1f ms, %s"
                            .formatted(
                                    requests.exchanges(),
                                    requests.generator(),
                                    requests.unloadedNanos().getMean() / 1e6,
                                    requests.loop() instanceof Loop.Lockstep(Histogram batches)
                                            ? "%d batches of mean %.1f ms"
                                                    .formatted(
                                                            batches.getTotalCount(),
                                                            batches.getMean() / 1e6)
                                            : "no batches");
            case LoadOutcome.Held held -> held.exchanges() + ", " + held.generator();
            case LoadOutcome.Command _, LoadOutcome.Unseen _ -> "no generator of ours";
        };
    }

    @Override
    public void close() {
        lock.close();
    }
}
