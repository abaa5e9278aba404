package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Cpu;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.diagnosis.Walls;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.FitPlan;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Setting;
import wallfinder.lab.find.Find;
import wallfinder.lab.find.UrlLoad;
import wallfinder.lab.fit.Fit;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.lab.trial.WarmUp;
import wallfinder.live.Moment;
import wallfinder.load.EngineChoice;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.RunLock;

/// A run with a planted wall. It drives an experiment, written as a user writes it, through the
/// whole program.
public final class PlantedRun implements AutoCloseable {
    /// On a shared machine the generator may not get its CPU. The result is then invalid, and
    /// rightly so. The test measures this often before it fails.
    private static final int ATTEMPTS_MAX = 6;

    /// Above this share the latencies are as much the generator's as the service's.
    private static final double WAITING_SHARE_MAX = 0.25;

    /// A program of the tests: an experiment writes its name after a dollar sign.
    private static final Pattern PROGRAM = Pattern.compile("\\$([A-Za-z]+\\.(?:py|js|java))\\b");

    /// The argument of a [SlowDisk] replaces it.
    static final String SLOW_DISK = "$slow-disk";

    /// The same for a disk that is slow to read.
    static final String SLOW_READS = "$slow-reads";

    private final Path home;
    private final Path folder;
    private @Nullable SlowDisk slowDisk;
    private @Nullable SwapFile swap;
    private final RunLock lock = RunLock.hold("planted-" + UUID.randomUUID());
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Interruption interruption = new Interruption();
    private Consumer<String> onLive = state -> {};

    public PlantedRun(Path folder) {
        this(folder, folder);
    }

    /// @param home the folder of the project, which replaces `{home}`
    PlantedRun(Path home, Path folder) {
        this.home = home;
        this.folder = folder;
    }

    public RunContext context() {
        Progress progress =
                new Progress() {
                    @Override
                    public void say(String line) {
                        lines.add(line);
                    }

                    @Override
                    public void show(Moment moment) {
                        onLive.accept(moment.doing());
                    }
                };
        return new RunContext(home, lock, folder, EngineChoice.AUTO, interruption, progress);
    }

    public Interruption interruption() {
        return interruption;
    }

    /// Calls the listener with each live state of the run.
    public void onLive(Consumer<String> listener) {
        onLive = listener;
    }

    /// The lines that the run has printed so far.
    public String output() {
        return String.join("\n", lines);
    }

    /// Interrupts a search when its second climb begins: the test needs only the first rung.
    public void stopAfterFirstRung() {
        onLive(state -> {
            if (state.startsWith("climb-2")) {
                interruption.request();
            }
        });
    }

    /// The path of a file among the tests' resources.
    public static Path resource(String name) {
        try {
            return Path.of(URI.create(PlantedRun.class.getResource(name).toString()));
        } catch (NullPointerException e) {
            throw new IllegalArgumentException("no resource " + name, e);
        }
    }

    /// Compiles a program among the tests' resources.
    ///
    /// @return the folder of its classes
    public static Path compiled(String program, Path classes, String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("-d", classes.toString(), resource(program).toString()));
        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(System.out, System.err, arguments.toArray(new String[0]));
        if (status != 0) {
            throw new IllegalStateException(program + " does not compile");
        }
        return classes;
    }

    /// Writes an experiment to a file and reads it as the command does.
    ///
    /// @param yaml the path of a resource replaces its `$name`
    public Experiment experiment(String yaml) throws Exception {
        return ExperimentFile.read(file(yaml));
    }

    /// Reads an experiment for `fit`.
    public FitPlan fitPlan(String yaml) throws Exception {
        return Fit.read(file(yaml));
    }

    private Path file(String yaml) throws Exception {
        boolean reads = yaml.contains(SLOW_READS);
        if ((reads || yaml.contains(SLOW_DISK)) && slowDisk == null) {
            slowDisk = new SlowDisk(folder, reads ? SlowDisk.READ : SlowDisk.WRITE);
        }
        if (yaml.contains(SwapFile.KEY) && swap == null) {
            swap = new SwapFile();
        }
        String inCgroup =
                slowDisk == null
                        ? yaml
                        : yaml.replace(SLOW_DISK, slowDisk.argument())
                                .replace(SLOW_READS, slowDisk.argument());
        String text = PROGRAM.matcher(inCgroup).replaceAll(m -> resource(m.group(1)).toString());
        Path file = Files.createTempFile(folder, "experiment-", ".yaml");
        return Files.writeString(file, text);
    }

    /// Measures one load where a wall is planted. Measures again if the generator did not get its
    /// CPU and no wall was named.
    RunRecord.Trial planted(String yaml, int connections) throws Exception {
        return measured(yaml, connections, trial -> trial.diagnosis().verdict() != Verdict.NAMED);
    }

    /// Measures again also if the generator did not get its CPU and another wall was named.
    public RunRecord.Trial planted(String wall, String yaml, int connections) throws Exception {
        return measured(
                yaml, connections, trial -> !trial.diagnosis().wallId().equals(Optional.of(wall)));
    }

    /// Measures one load where no wall is planted. Measures again if the generator did not get its
    /// CPU and the result is invalid.
    RunRecord.Trial control(String yaml, int connections) throws Exception {
        return measured(yaml, connections, RunRecord.Trial::invalid);
    }

    /// Measures once. The wall may be at any load.
    RunRecord.Trial single(Experiment experiment, int connections, String name) {
        return new SandboxTrialRunner(TrialHosts.here(context()))
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

    /// True if the generator or the service waited for a CPU that other programs or another virtual
    /// machine used, or if the generator made the result invalid although it did not run out of
    /// anything.
    public static boolean starved(RunRecord.Trial trial) {
        boolean ranOut =
                trial.observation().load() instanceof LoadOutcome.Driven load
                        && !load.generator().exhausted().isEmpty();
        return !ranOut && (trial.invalid() || cpuTaken(trial));
    }

    /// True if other programs used the CPU that the generator or the service waited for. Another
    /// measurement may then give another verdict.
    static boolean cpuTaken(RunRecord.Trial trial) {
        return has(trial, "busy-host")
                || has(trial, "busy-alone")
                || has(trial, "noisy-host")
                || has(trial, "lost-ticks")
                || (trial.observation().load() instanceof LoadOutcome.Driven load
                        && load.generator().waitingShare() > WAITING_SHARE_MAX);
    }

    static boolean has(RunRecord.Trial trial, String caveat) {
        return doubts(trial).contains(caveat);
    }

    Find.Result find(String yaml) throws Exception {
        return new Find(TrialHosts.here(context())).run(experiment(yaml));
    }

    /// Drives a load at a URL once, from this host.
    public RunRecord.Trial load(LoadSpec.Http http) {
        return new UrlLoad(http, Origin.parse(null, null), null, context()).load(null, null);
    }

    /// Climbs to the first wall and proves a remedy. A search that ends because the generator did
    /// not get its CPU is repeated.
    RunRecord.Rung firstRung(String yaml, String wall, End end) throws Exception {
        stopAfterFirstRung();
        Find.Result result = find(yaml);
        for (int attempt = 2; tooBusy(result) && attempt <= ATTEMPTS_MAX; attempt++) {
            result = find(yaml);
        }
        assertThat(result.ladder()).as(output()).isNotEmpty();
        RunRecord.Rung rung = result.ladder().getFirst();
        RunRecord.Trial stopped = result.trials().get(rung.trial());
        assertThat(stopped.diagnosis().wallId()).as(describe(stopped)).contains(wall);
        assertThat(stopped.diagnosis().headline().end()).as(describe(stopped)).isEqualTo(end);
        assertThat(rung.remedy()).as(output()).isNotNull();
        return rung;
    }

    private static boolean tooBusy(Find.Result result) {
        return result.ended().equals(Find.TOO_BUSY)
                || (!result.anyVerified() && result.last() != null && starved(result.last()));
    }

    public static void assertVerdict(RunRecord.Trial trial, Verdict verdict) {
        assertThat(trial.diagnosis().verdict()).as(describe(trial)).isEqualTo(verdict);
    }

    /// The wall is the headline, at that end, with these counters among its evidence. Every other
    /// wall is ruled out.
    static void assertNamed(RunRecord.Trial trial, String wall, End end, String... counters) {
        assertVerdict(trial, Verdict.NAMED);
        assertHeadline(trial, wall, end, counters);
    }

    /// Like [#assertNamed], but on a busy host the CPU may bind, too: other programs took it.
    static void assertNamedThoughBusy(
            RunRecord.Trial trial, String wall, End end, String... counters) {
        if (starved(trial)) {
            assertWall(trial, wall, end, counters);
            assertOnlyCpuBindsToo(trial);
        } else {
            assertNamed(trial, wall, end, counters);
        }
    }

    static void assertOnlyCpuBindsToo(RunRecord.Trial trial) {
        assertThat(trial.diagnosis().also())
                .as(describe(trial))
                .allMatch(binds -> binds.wall() instanceof Cpu);
    }

    /// The wall is the headline, at that end, with these counters among its evidence. Other walls
    /// may bind, too.
    public static void assertWall(RunRecord.Trial trial, String wall, End end, String... counters) {
        assertThat(trial.diagnosis().wallId()).as(describe(trial)).contains(wall);
        assertThat(trial.diagnosis().headline().end()).as(describe(trial)).isEqualTo(end);
        Stream.of(counters).forEach(counter -> assertEvidence(trial, counter));
    }

    /// Like [#assertWall], and every wall that does not bind is ruled out.
    static void assertHeadline(RunRecord.Trial trial, String wall, End end, String... counters) {
        assertWall(trial, wall, end, counters);
        Diagnosis diagnosis = trial.diagnosis();
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

    /// The wall does not bind, and the diagnosis gives a reason that rules it out.
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

    /// One of the headline's evidence is that counter, with any text in its brackets.
    public static void assertEvidence(RunRecord.Trial trial, String counter) {
        assertThat(trial.diagnosis().headline().evidence())
                .as(describe(trial))
                .anySatisfy(evidence ->
                        assertThat(evidence.name().replaceAll("\\[.*]", "[]")).isEqualTo(counter));
    }

    private static List<String> ruledOut(Diagnosis diagnosis) {
        return diagnosis.ruledOut().stream().map(ruledOut -> ruledOut.wall().id().word()).toList();
    }

    /// The kept remedy makes this one change.
    static void assertChanged(RunRecord.Rung rung, Setting setting, String from, String to) {
        assertThat(rung.remedy().remedy().changes()).containsExactly(new Change(setting, from, to));
    }

    /// The ids of the diagnosis's doubts.
    public static List<String> doubts(RunRecord.Trial trial) {
        return trial.diagnosis().caveats().stream().map(Caveat::id).toList();
    }

    /// The largest value that a counter of the server's end had.
    public static double largest(RunRecord.Trial trial, Key key) {
        return trial.observation().timeline().find(key, End.SERVER).orElseThrow().max();
    }

    /// By how much a counter of the server's end grew.
    public static double growth(RunRecord.Trial trial, Key key) {
        return trial.observation().timeline().growth(key, End.SERVER);
    }

    public static LoadOutcome.Driven driven(RunRecord.Trial trial) {
        return (LoadOutcome.Driven) trial.observation().load();
    }

    /// What a reader of a failed test needs to know about the trial.
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
                + Budget.of(trial.observation()).map(budget -> budget + "\n").orElse("")
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
        if (slowDisk != null) {
            slowDisk.close();
        }
        if (swap != null) {
            swap.close();
        }
        lock.close();
    }
}
