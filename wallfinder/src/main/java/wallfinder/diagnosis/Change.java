package wallfinder.diagnosis;

import java.util.Optional;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;

/// A setting turned from one value to another.
public record Change(Setting setting, String from, String to) {
    /// Doubles a knob at least.
    ///
    /// @param moves the wall that it has to move
    /// @param wanted the value that would do, if that is more
    static Optional<Change> raising(Setting.OfKnob setting, Knob knob, WallId moves, long wanted) {
        long value = EvidenceFigures.number(knob.value());
        if (knob.moves() != moves || value < 1) {
            return Optional.empty();
        }
        long target =
                Math.min(
                        Math.max(2 * value, wanted),
                        knob.max() == null ? Long.MAX_VALUE : knob.max());
        return target > value
                ? Optional.of(new Change(setting, knob.value(), Long.toString(target)))
                : Optional.empty();
    }
}
