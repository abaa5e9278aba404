package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;

/// All that an experiment lets us do about a wall.
public final class Remedies {
    private static final String PRICE = "what that knob costs";

    private Remedies() {}

    /// The first to be tried first: knobs that are turned to a value of their own, each alone, and
    /// then what the wall itself knows.
    public static List<Remedy> of(
            Judgement.Binds binds, Observation observation, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>(turned(binds.wall().id(), experiment));
        binds.wall().remedies(binds, observation, experiment).stream()
                .filter(remedy -> remedy.changes().stream().noneMatch(c -> isTurned(c, experiment)))
                .forEach(remedies::add);
        return List.copyOf(remedies);
    }

    private static List<Remedy> turned(WallId wall, Experiment experiment) {
        List<Remedy> remedies = new ArrayList<>();
        for (ServiceSpec program : experiment.programs()) {
            program.knobs()
                    .forEach((name, knob) -> {
                        if (knob.moves() == wall) {
                            addTurned(new Setting.OfKnob(program.name(), name), knob, remedies);
                        }
                    });
        }
        return remedies;
    }

    private static void addTurned(Setting.OfKnob setting, Knob knob, List<Remedy> remedies) {
        knob.to().stream()
                .filter(value -> !value.equals(knob.value()))
                .map(value -> new Remedy(List.of(new Change(setting, knob.value(), value)), PRICE))
                .forEach(remedies::add);
    }

    /// A knob that has values of its own is not raised as a number.
    private static boolean isTurned(Change change, Experiment experiment) {
        return change.setting() instanceof Setting.OfKnob(String owner, String name)
                && experiment.programs().stream()
                        .filter(program -> program.name().equals(owner))
                        .map(program -> program.knobs().get(name))
                        .anyMatch(knob -> knob != null && !knob.to().isEmpty());
    }
}
