package wallfinder.lab.trial;

import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Objective;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;

/// The objective of held connections: all stay open, all answers are right, the expression holds.
///
/// @param always false if there is no objective without an expression
/// @param expression a further condition, or null
public record HoldObjective(boolean always, @Nullable Objective expression) {
    /// Null if there is no objective.
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
