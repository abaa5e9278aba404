package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;

/// A setting turned from one value to another.
public record Change(Setting setting, String from, String to) {
    /// Raises each knob of the experiment's programs that moves a wall, up to the knob's maximum.
    ///
    /// @param valueMin knobs with a smaller value, or with none that is a whole number, stay
    /// @param wanted the new value of a knob
    static List<Change> raised(
            Experiment experiment, WallId wall, long valueMin, ToLongFunction<Knob> wanted) {
        List<Change> changes = new ArrayList<>();
        for (var program : experiment.programs()) {
            program.knobs()
                    .forEach((name, knob) -> {
                        long value = EvidenceFigures.number(knob.value());
                        long max = knob.max() == null ? Long.MAX_VALUE : knob.max();
                        long target = Math.min(wanted.applyAsLong(knob), max);
                        if (knob.moves() == wall && value >= valueMin && target > value) {
                            changes.add(
                                    new Change(
                                            new Setting.OfKnob(program.name(), name),
                                            knob.value(),
                                            Long.toString(target)));
                        }
                    });
        }
        return changes;
    }
}
