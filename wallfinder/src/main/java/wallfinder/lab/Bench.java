package wallfinder.lab;

import java.util.List;
import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.report.RunRecord;

/// Runs an experiment's trials, each climb and each single trial in a fresh sandbox.
final class Bench {
    private final RunContext context;

    Bench(RunContext context) {
        this.context = context;
    }

    /// Raises the load until it stops. A command is run once, as it is.
    ///
    /// @param from the connections to start with, zero for the usual start
    /// @param keep gets each trial as soon as it is measured
    List<RunRecord.Trial> climb(
            Experiment experiment, int from, String label, Consumer<RunRecord.Trial> keep) {
        try (SandboxScene scene = SandboxScene.open(experiment, context, label)) {
            sayHowToLookInside(scene);
            return switch (experiment.load()) {
                case LoadSpec.Http http ->
                        new Climb(
                                        new Stage(scene, http, experiment.objective(), context),
                                        http.connections(),
                                        http.duration(),
                                        context.interruption())
                                .climb(from, label, keep);
                case LoadSpec.Command command -> {
                    RunRecord.Trial trial =
                            new CommandStage(scene, command, experiment.objective(), context)
                                    .trial(label);
                    keep.accept(trial);
                    yield List.of(trial);
                }
            };
        }
    }

    private void sayHowToLookInside(SandboxScene scene) {
        scene.lookInside()
                .ifPresent(command -> context.progress().say("  look inside with: " + command));
    }

    /// Measures at one load, for the experiment's whole duration.
    RunRecord.Trial single(Experiment experiment, int connections, String name) {
        try (SandboxScene scene = SandboxScene.open(experiment, context, name)) {
            return measured(scene, experiment, connections, name);
        }
    }

    /// The same, where nothing but its trials tells of a run while it lasts: who waits can look
    /// inside.
    RunRecord.Trial shown(Experiment experiment, int connections, String name) {
        try (SandboxScene scene = SandboxScene.open(experiment, context, name)) {
            sayHowToLookInside(scene);
            return measured(scene, experiment, connections, name);
        }
    }

    private RunRecord.Trial measured(
            SandboxScene scene, Experiment experiment, int connections, String name) {
        return switch (experiment.load()) {
            case LoadSpec.Http http -> {
                Stage stage = new Stage(scene, http, experiment.objective(), context);
                stage.warm(connections);
                stage.probe();
                yield stage.trial(name, connections, http.duration(), true);
            }
            case LoadSpec.Command command ->
                    new CommandStage(scene, command, experiment.objective(), context).trial(name);
        };
    }
}
