package wallfinder.lab.trial;

import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Objective;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;

/// What held connections are for: all stand, every answer was right, and what else was asked for.
///
/// @param always false: nobody asked for it, unless there is an expression
/// @param expression of what must hold beside it, or null
public record HoldObjective(boolean always, @Nullable Objective expression) {
    /// Null if there is none.
    @Nullable Boolean met(LoadOutcome load) {
        if (!always && expression == null) {
            return null;
        }
        return load instanceof LoadOutcome.Held held
                && held.hold().fate(LoadOutcome.Hold.ALIVE) == held.connections()
                && held.errors(ErrorKind.CORRUPTED) == 0
                && (expression == null || Objectives.met(expression, load));
    }
}
