package wallfinder.lab.trial;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.Programs;
import wallfinder.lab.session.RunContext;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.record.RunRecord;

/// Runs an experiment's trials, each climb and each single trial in a fresh sandbox.
///
/// @param asksJvms false if the trials measure a service's memory
public record SandboxTrialRunner(TrialHosts hosts, boolean asksJvms) implements TrialRunner {
    public SandboxTrialRunner(TrialHosts hosts) {
        this(hosts, true);
    }

    /// Raises the load until a wall binds. A load command runs once, unchanged.
    @Override
    public Climb.Climbed climb(
            Experiment experiment,
            Climb.Start start,
            String label,
            Consumer<RunRecord.Trial> keeper) {
        Consumer<RunRecord.Trial> keep = keeper.andThen(_ -> hosts.check());
        if (experiment.load() instanceof LoadSpec.Hold hold) {
            return climb(new ScalableHoldLoad(experiment, hold, this::shown), hold)
                    .climb(start, label, keep);
        }
        try (SandboxTestbed testbed = open(experiment, label)) {
            sayWhatRuns(testbed, experiment);
            if (experiment.load() instanceof LoadSpec.Http http) {
                ScalableHttpLoad httpLoad =
                        new ScalableHttpLoad(
                                hosts.generator(testbed, http), http, experiment.objective());
                return climb(httpLoad, http).climb(start, label, keep);
            }
            RunRecord.Trial trial = measured(testbed, experiment, 0, label);
            keep.accept(trial);
            return new Climb.Climbed(List.of(trial), WarmUp.untilWarm(1));
        }
    }

    private RunContext context() {
        return hosts.context();
    }

    private Climb climb(ScalableLoad scalable, LoadSpec load) {
        return new Climb(scalable, load.connections(), load.duration(), context().interruption());
    }

    private SandboxTestbed open(Experiment experiment, String name) {
        return hosts.open(experiment, name, asksJvms ? Inspection.USUAL : Inspection.FROM_OUTSIDE);
    }

    private void sayWhatRuns(SandboxTestbed testbed, Experiment experiment) {
        context()
                .progress()
                .say(
                        hosts.services() == null
                                ? "  services run as " + Programs.runAs(experiment)
                                : "  services run on " + experiment.host());
        testbed.lookInside()
                .ifPresent(command -> context().progress().say("  look inside with: " + command));
    }

    @Override
    public RunRecord.Trial single(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        try (SandboxTestbed testbed =
                NotStarted.unless(() -> open(experiment, name), context().interruption())) {
            RunRecord.Trial trial = measured(testbed, experiment, connections, warmUp, name);
            hosts.check();
            return trial;
        }
    }

    @Override
    public Optional<Profiled> profile(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        return profile(
                experiment,
                warmUp,
                name,
                (trials, duration) -> trials.run(name, connections, duration));
    }

    @Override
    public Optional<Seen> profileOnce(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        return profile(
                experiment,
                warmUp,
                name,
                (trials, duration) -> trials.profiled(name, connections, duration, Samples.FINE));
    }

    /// @return empty if this load cannot be profiled
    private <T> Optional<T> profile(
            Experiment experiment,
            WarmUp warmUp,
            String name,
            BiFunction<ProfileTrials, Duration, T> measure) {
        if (!(experiment.load() instanceof LoadSpec.Http http)) {
            return Optional.empty();
        }
        try (SandboxTestbed testbed = open(JvmOption.namingAllCode(experiment), name)) {
            ScalableHttpLoad load =
                    new ScalableHttpLoad(
                            hosts.generator(testbed, http), http, experiment.objective());
            load.begin(warmUp);
            ProfileTrials trials =
                    new ProfileTrials(testbed::profiling, load, context().interruption());
            return Optional.of(measure.apply(trials, http.duration()));
        }
    }

    /// Measures the experiment's load, and shows the user how to look inside meanwhile.
    public RunRecord.Trial shown(Experiment experiment, WarmUp warmUp, String name) {
        try (SandboxTestbed testbed = open(experiment, name)) {
            sayWhatRuns(testbed, experiment);
            return measured(testbed, experiment, experiment.load().connections(), warmUp, name);
        }
    }

    private RunRecord.Trial shown(Experiment experiment, String name) {
        return shown(experiment, WarmUp.likelyBelow(experiment.load().connections()), name);
    }

    /// Measures one trial in a running sandbox.
    public RunRecord.Trial measured(
            SandboxTestbed testbed, Experiment experiment, int connections, String name) {
        return measured(testbed, experiment, connections, WarmUp.likelyBelow(connections), name);
    }

    private RunRecord.Trial measured(
            SandboxTestbed testbed,
            Experiment experiment,
            int connections,
            WarmUp warmUp,
            String name) {
        return switch (experiment.load()) {
            case LoadSpec.Http http -> {
                ScalableHttpLoad httpLoad =
                        new ScalableHttpLoad(
                                hosts.generator(testbed, http), http, experiment.objective());
                httpLoad.begin(warmUp);
                yield httpLoad.trial(name, connections, http.duration());
            }
            case LoadSpec.Hold hold ->
                    held(testbed, hold.with(connections, hold.duration()), experiment, name);
            case LoadSpec.Command command ->
                    new CommandTrial(testbed, command, experiment.objective(), context())
                            .trial(name);
        };
    }

    private RunRecord.Trial held(
            SandboxTestbed testbed, LoadSpec.Hold hold, Experiment experiment, String name) {
        HoldObjective objective = new HoldObjective(false, experiment.objective());
        GeneratorHosts others = hosts.generators();
        if (others != null) {
            return others.hold(testbed, testbed.filled(hold), name, objective, context());
        }
        HoldPlan plan = testbed.plan(hold);
        HoldRun.check(plan);
        return new HoldTrial(
                        plan, testbed, hold.memoryFloorBytes(), testbed.serverSide(), context())
                .trial(name, testbed.factors(), objective);
    }
}
