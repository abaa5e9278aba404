package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.Observation;

/// All remedies for a wall in an experiment.
public final class Remedies {
    private static final String PRICE = "what that knob costs";

    private Remedies() {}

    /// The best first: knobs with values to turn to, each one alone, and then the wall's own
    /// remedies.
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
                    .forEach((name, knob) ->
                            knob.to().stream()
                                    .filter(value ->
                                            knob.moves() == wall && !value.equals(knob.value()))
                                    .map(value ->
                                            new Change(
                                                    new Setting.OfKnob(program.name(), name),
                                                    knob.value(),
                                                    value))
                                    .forEach(change ->
                                            remedies.add(new Remedy(List.of(change), PRICE))));
        }
        return remedies;
    }

    /// If a knob lists values to turn to, it is not also raised as a number.
    private static boolean isTurned(Change change, Experiment experiment) {
        return change.setting() instanceof Setting.OfKnob(String owner, String name)
                && experiment.programs().stream()
                        .filter(program -> program.name().equals(owner))
                        .map(program -> program.knobs().get(name))
                        .anyMatch(knob -> knob != null && !knob.to().isEmpty());
    }
}
