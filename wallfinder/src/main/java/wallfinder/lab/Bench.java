package wallfinder.lab;

import java.util.List;
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
    List<RunRecord.Trial> climb(Experiment experiment, int from, String label) {
        try (SandboxScene scene = SandboxScene.open(experiment, context, label)) {
            context.progress()
                    .say(
                            "  look inside with: nsenter -t %d -n ss -ltn"
                                    .formatted(scene.insidePid()));
            return switch (experiment.load()) {
                case LoadSpec.Http http ->
                        new Climb(
                                        new Stage(scene, http, experiment.objective(), context),
                                        http.connections(),
                                        http.duration(),
                                        context.interruption())
                                .climb(from, label);
                case LoadSpec.Command command ->
                        List.of(
                                new CommandStage(scene, command, experiment.objective(), context)
                                        .trial(label));
            };
        }
    }

    /// Measures at one load, for the experiment's whole duration.
    RunRecord.Trial single(Experiment experiment, int connections, String name) {
        try (SandboxScene scene = SandboxScene.open(experiment, context, name)) {
            return switch (experiment.load()) {
                case LoadSpec.Http http -> {
                    Stage stage = new Stage(scene, http, experiment.objective(), context);
                    stage.warm(connections);
                    stage.probe();
                    yield stage.trial(name, connections, http.duration(), true);
                }
                case LoadSpec.Command command ->
                        new CommandStage(scene, command, experiment.objective(), context)
                                .trial(name);
            };
        }
    }
}
