package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Fullness;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.RunningJvm;
import wallfinder.sandbox.Service;

/// One trial with a load command. The command starts at the client's end and is watched like a
/// service. Its output contains the figures.
final class CommandTrial {
    private static final String NAME = LoadSpec.Command.NAME;
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);
    private static final int LINES_SHOWN = 3;

    /// Looks of 50 ms between two states of the live view.
    private static final int LOOKS_PER_LIMITS = 5;

    /// A JVM maps its files within its first second.
    private static final int LOOKS_MAX = 20;

    /// A shell's exit codes for a program that it cannot run.
    private static final int NOT_FOUND = 127;

    private static final int NOT_EXECUTABLE = 126;

    private final SandboxTestbed testbed;
    private final LoadSpec.Command command;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final FarServer far;
    private final List<Caveat> caveats = new ArrayList<>();
    private final @Nullable Pattern begin;
    private @Nullable JvmFacts runtime;
    private boolean begun;
    private long beginNanos;

    CommandTrial(
            SandboxTestbed testbed,
            LoadSpec.Command command,
            @Nullable Objective objective,
            RunContext context) {
        this.testbed = testbed;
        this.command = command;
        this.objective = objective;
        this.context = context;
        // Whatever the port of its requests, it belongs to the services of the experiment.
        this.far = new FarServer(testbed.serverSide(), 0, context);
        LoadSpec.Measure measure = command.measure();
        this.begin =
                measure == null || measure.begin() == null
                        ? null
                        : Pattern.compile(measure.begin());
    }

    RunRecord.Trial trial(String name) {
        FarServer.Both both = far.join(observe());
        Observation observation = both.observation();
        SortedMap<String, String> factors = new TreeMap<>(testbed.factors());
        factors.putAll(both.factors());
        Diagnosis diagnosis = Diagnosis.of(observation);
        List<Caveat> doubts = Caveat.joined(caveats, both.caveats());
        return new RunRecord.Trial(name, factors, observation, diagnosis, doubts, null)
                .checked(Objectives.check(objective, observation.load(), diagnosis));
    }

    private Observation observe() {
        far.begin();
        long start = System.nanoTime();
        Service load = testbed.launch(command.program());
        List<Reader> readers = testbed.readers(load);
        try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL)) {
            awaitEnd(load, start, sampler);
            double seconds = (System.nanoTime() - (begun ? beginNanos : start)) / 1e9;
            Timeline timeline = counted(sampler);
            return new Observation(
                    outcome(load, timeline, seconds), timeline, testbed.facts(load, runtime));
        } finally {
            readers.forEach(Reader::close);
            load.stop();
        }
    }

    /// The timeline from the command's first counted request on, like the command's figures.
    private Timeline counted(Sampler sampler) {
        far.requestEnd();
        Timeline whole = sampler.stop();
        if (begin != null && !begun) {
            caveats.add(Doubt.BEGIN_NOT_FOUND.caveat(begin));
        }
        far.measuredFrom(begun ? beginNanos : sampler.startNanos());
        return begun ? whole.since(beginNanos - sampler.startNanos()) : whole;
    }

    private void lookForBegin(Service load) {
        if (begin != null && !begun) {
            long now = System.nanoTime();
            begun = CommandOutput.of(load.log(), load.logStart()).contains(begin);
            beginNanos = now;
        }
    }

    private void awaitEnd(Service load, long start, Sampler sampler) {
        long bound = command.duration().toNanos();
        int looks = 0;
        while (load.alive() && context.interruption().pause(LOOK_INTERVAL)) {
            if (looks++ < LOOKS_MAX && (runtime == null || !runtime.usesArchive())) {
                runtime = RunningJvm.of(load.pids()).orElse(runtime);
            }
            lookForBegin(load);
            long nanos = System.nanoTime() - start;
            show(start, looks, sampler);
            if (nanos > bound) {
                caveats.add(Doubt.LOAD_STOPPED.caveat(bound / 1e9, load.log()));
                return;
            }
        }
        load.exitStatus()
                .filter(status -> status != 0)
                .ifPresent(status -> reportExit(load, status));
    }

    private void show(long start, int looks, Sampler sampler) {
        boolean shown = context.progress().isShown() && looks % LOOKS_PER_LIMITS == 0;
        if (shown) {
            context.progress()
                    .show(
                            new Moment(
                                    "the load command runs",
                                    Planned.atMost(start, command.duration()),
                                    List.of(),
                                    Fullness.of(sampler.recent(), testbed.serverCpus())));
        }
    }

    private void reportExit(Service load, int status) {
        String lines = String.join(" | ", load.lastLines(LINES_SHOWN));
        if (status == NOT_FOUND || status == NOT_EXECUTABLE) {
            throw new EnvironmentException(
                    "the load command cannot be run",
                    lines.isEmpty() ? "it ended with exit code " + status : lines,
                    "install the program, or correct load.command");
        }
        String printed = lines.isEmpty() ? "nothing" : lines;
        caveats.add(Doubt.LOAD_EXIT.caveat(status, load.log(), printed));
    }

    private LoadOutcome outcome(Service load, Timeline timeline, double watched) {
        CommandOutput.Figures figures = figures(load, watched);
        SortedMap<String, Long> errors = new TreeMap<>();
        if (figures.errors() != null) {
            errors.put(LoadOutcome.Command.ERRORS, figures.errors());
        }
        // On the host's network other processes open connections, too.
        boolean own = testbed.facts().ownCounters();
        long opened = own ? (long) timeline.growth(KernelCounter.ACTIVE_OPENS, End.CLIENT) : 0;
        return new LoadOutcome.Command(
                figures.seconds(),
                timeline.growth(ProcessFigure.CPU.of(NAME), End.CLIENT),
                figures.requests(),
                errors,
                opened);
    }

    private CommandOutput.Figures figures(Service load, double watched) {
        LoadSpec.Measure measure = command.measure();
        if (measure == null) {
            caveats.add(Doubt.RATE_UNKNOWN.caveat());
            return new CommandOutput.Figures(0, watched, null);
        }
        CommandOutput output = CommandOutput.of(load.log(), load.logStart());
        CommandOutput.Figures figures = output.figures(measure, watched);
        caveats.addAll(output.caveats());
        return figures;
    }
}
