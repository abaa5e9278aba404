package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.Objective;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Condition;
import wallfinder.record.NumberText;

/// The objective of held connections: all stay open, all answers are right, the expression holds.
///
/// @param always false if there is no objective without an expression
/// @param expression a further condition, or null
public record HoldObjective(boolean always, @Nullable Objective expression) {
    /// Empty if there is no objective.
    List<Condition> check(LoadOutcome load, Diagnosis diagnosis) {
        if (!always && expression == null) {
            return List.of();
        }
        List<Condition> conditions = new ArrayList<>();
        long alive =
                load instanceof LoadOutcome.Held held
                        ? held.hold().fate(LoadOutcome.Hold.ALIVE)
                        : 0;
        long wrong = load.errors(ErrorKind.CORRUPTED);
        conditions.add(
                new Condition(
                        "all connections alive",
                        "%s of %s"
                                .formatted(
                                        NumberText.count(alive),
                                        NumberText.count(load.connections())),
                        load instanceof LoadOutcome.Held && alive == load.connections(),
                        false));
        conditions.add(
                new Condition("no wrong answer", NumberText.count(wrong), wrong == 0, false));
        conditions.addAll(Objectives.check(expression, load, diagnosis));
        return conditions;
    }
}
