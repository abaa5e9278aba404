package wallfinder.lab.trial;

import java.util.List;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.record.RunRecord;

/// Runs an experiment's trials, each climb and each single trial in a fresh sandbox.
public final class Bench implements Measuring {
    private final RunContext context;
    private final boolean asksJvms;

    public Bench(RunContext context) {
        this(context, true);
    }

    /// @param asksJvms false where the memory of a service is what is measured
    public Bench(RunContext context, boolean asksJvms) {
        this.context = context;
        this.asksJvms = asksJvms;
    }

    /// Raises the load until it stops. A command is run once, as it is.
    @Override
    public Climb.Climbed climb(
            Experiment experiment,
            Climb.Start start,
            String label,
            Consumer<RunRecord.Trial> keep) {
        if (experiment.load() instanceof LoadSpec.Hold hold) {
            return climb(new HoldLevels(experiment, hold, this::shown), hold)
                    .climb(start, label, keep);
        }
        try (SandboxScene scene = open(experiment, label)) {
            sayHowToLookInside(scene);
            if (experiment.load() instanceof LoadSpec.Http http) {
                Stage stage = new Stage(scene, http, experiment.objective(), context);
                return climb(stage, http).climb(start, label, keep);
            }
            RunRecord.Trial trial = measured(scene, experiment, 0, label);
            keep.accept(trial);
            return new Climb.Climbed(List.of(trial), WarmUp.untilWarm(1));
        }
    }

    private Climb climb(Levels levels, LoadSpec load) {
        return new Climb(levels, load.connections(), load.duration(), context.interruption());
    }

    private SandboxScene open(Experiment experiment, String name) {
        return SandboxScene.open(experiment, context, name, asksJvms);
    }

    private void sayHowToLookInside(SandboxScene scene) {
        scene.lookInside()
                .ifPresent(command -> context.progress().say("  look inside with: " + command));
    }

    @Override
    public RunRecord.Trial single(
            Experiment experiment, int connections, WarmUp warmUp, String name) {
        try (SandboxScene scene = open(experiment, name)) {
            return measured(scene, experiment, connections, warmUp, name);
        }
    }

    /// The same as it stands in the experiment, where nothing but its trials tells of a run while
    /// it lasts: who waits can look inside.
    public RunRecord.Trial shown(Experiment experiment, WarmUp warmUp, String name) {
        try (SandboxScene scene = open(experiment, name)) {
            sayHowToLookInside(scene);
            return measured(scene, experiment, experiment.load().connections(), warmUp, name);
        }
    }

    private RunRecord.Trial shown(Experiment experiment, String name) {
        return shown(experiment, WarmUp.likelyBelow(experiment.load().connections()), name);
    }

    /// Measures where the services run.
    public RunRecord.Trial measured(
            SandboxScene scene, Experiment experiment, int connections, String name) {
        return measured(scene, experiment, connections, WarmUp.likelyBelow(connections), name);
    }

    private RunRecord.Trial measured(
            SandboxScene scene,
            Experiment experiment,
            int connections,
            WarmUp warmUp,
            String name) {
        return switch (experiment.load()) {
            case LoadSpec.Http http -> {
                Stage stage = new Stage(scene, http, experiment.objective(), context);
                stage.begin(warmUp);
                yield stage.trial(name, connections, http.duration());
            }
            case LoadSpec.Hold hold -> held(scene, hold.with(connections), experiment, name);
            case LoadSpec.Command command ->
                    new CommandStage(scene, command, experiment.objective(), context).trial(name);
        };
    }

    private RunRecord.Trial held(
            SandboxScene scene, LoadSpec.Hold hold, Experiment experiment, String name) {
        HoldPlan plan = scene.plan(hold);
        HoldRun.check(plan);
        return new HoldStage(plan, scene, hold.memoryFloorBytes(), context)
                .trial(name, scene.factors(), new HoldObjective(false, experiment.objective()));
    }
}
