package wallfinder.lab;

import java.util.List;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.report.RunRecord;

/// Runs an experiment's trials, each climb and each single trial in a fresh sandbox.
final class Bench {
    private final RunContext context;
    private final boolean asksJvms;

    Bench(RunContext context) {
        this(context, true);
    }

    /// @param asksJvms false where the memory of a service is what is measured
    Bench(RunContext context, boolean asksJvms) {
        this.context = context;
        this.asksJvms = asksJvms;
    }

    /// Raises the load until it stops. A command is run once, as it is.
    ///
    /// @param from the connections to start with, zero for the usual start
    /// @param keep gets each trial as soon as it is measured
    List<RunRecord.Trial> climb(
            Experiment experiment, int from, String label, Consumer<RunRecord.Trial> keep) {
        if (experiment.load() instanceof LoadSpec.Hold hold) {
            return climb(new HoldLevels(experiment, hold, this::shown), hold)
                    .climb(from, label, keep);
        }
        try (SandboxScene scene = open(experiment, label)) {
            sayHowToLookInside(scene);
            if (experiment.load() instanceof LoadSpec.Http http) {
                Stage stage = new Stage(scene, http, experiment.objective(), context);
                return climb(stage, http).climb(from, label, keep);
            }
            RunRecord.Trial trial = measured(scene, experiment, 0, label);
            keep.accept(trial);
            return List.of(trial);
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

    /// Measures at one load, for the experiment's whole duration.
    RunRecord.Trial single(Experiment experiment, int connections, String name) {
        try (SandboxScene scene = open(experiment, name)) {
            return measured(scene, experiment, connections, name);
        }
    }

    /// The same as it stands in the experiment, where nothing but its trials tells of a run while
    /// it lasts: who waits can look inside.
    RunRecord.Trial shown(Experiment experiment, String name) {
        try (SandboxScene scene = open(experiment, name)) {
            sayHowToLookInside(scene);
            return measured(scene, experiment, experiment.load().connections(), name);
        }
    }

    /// Measures where the services run.
    RunRecord.Trial measured(
            SandboxScene scene, Experiment experiment, int connections, String name) {
        return switch (experiment.load()) {
            case LoadSpec.Http http -> {
                Stage stage = new Stage(scene, http, experiment.objective(), context);
                stage.begin(connections);
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
