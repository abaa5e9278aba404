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
        LoadOutcome.Hold hold = load.hold();
        boolean all = hold != null && hold.fate(LoadOutcome.Hold.ALIVE) == load.connections();
        return all
                && !load.errors().containsKey(ErrorKind.CORRUPTED.word())
                && (expression == null || Objectives.met(expression, load));
    }
}
