package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Session;
import wallfinder.record.CapacityBound;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// The end of a run that looked for a capacity.
record CapacityEnd(Session session, Objective objective, Capacity.Result result) {
    /// Writes the results.
    ///
    /// @return the exit code
    int finish(
            List<RunRecord.Rung> ladder, @Nullable String text, Results results, Results.View view)
            throws IOException {
        RunRecord record =
                session.record(result.trials(), ladder, ended(objective, result), text)
                        .with(result.capacity());
        int code = code(objective, result);
        results.write(record, view, code);
        if (result.failure() != null) {
            throw result.failure();
        }
        return code;
    }

    static int code(Objective objective, Capacity.Result result) {
        if (result.failure() != null) {
            return ExitCode.ENVIRONMENT;
        }
        List<CapacityBound.State> bounds = states(objective, result.capacity());
        boolean met = bounds.stream().allMatch(state -> state == CapacityBound.State.MET);
        return switch (result.end()) {
            case INTERRUPTED, FAILED -> ExitCode.INTERRUPTED;
            case NEVER_HELD -> ExitCode.OBJECTIVE_MISSED;
            case GENERATOR -> met && !bounds.isEmpty() ? ExitCode.DONE : ExitCode.INVALID;
            case FOUND ->
                    bounds.contains(CapacityBound.State.MISSED)
                            ? ExitCode.OBJECTIVE_MISSED
                            : bounds.contains(CapacityBound.State.UNKNOWN)
                                    ? ExitCode.INVALID
                                    : ExitCode.DONE;
        };
    }

    private static List<CapacityBound.State> states(
            Objective objective, @Nullable CapacityRecord capacity) {
        return objective.bounds().stream()
                .filter(Objective.Bound::ofCapacity)
                .map(bound ->
                        capacity == null
                                ? CapacityBound.State.MISSED
                                : new CapacityBound(bound, capacity).state())
                .toList();
    }

    /// Why the search ended, and which bounds of the capacity it leaves open.
    static String ended(Objective objective, Capacity.Result result) {
        CapacityRecord capacity = result.capacity();
        return capacity == null
                ? result.ended()
                : Stream.concat(
                                Stream.of(result.ended()),
                                CapacityBound.of(objective, capacity).stream()
                                        .map(CapacityBound::doubt)
                                        .filter(Objects::nonNull))
                        .collect(Collectors.joining(". "));
    }
}
