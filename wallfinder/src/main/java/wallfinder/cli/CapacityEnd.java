package wallfinder.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.session.Session;
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
                session.record(result.trials(), ladder, result.ended(), text)
                        .with(result.capacity());
        results.write(record, view, code());
        if (result.failure() != null) {
            throw result.failure();
        }
        return code();
    }

    private int code() {
        if (result.failure() != null) {
            return ExitCode.ENVIRONMENT;
        }
        return switch (result.end()) {
            case INTERRUPTED, FAILED -> ExitCode.INTERRUPTED;
            case NEVER_HELD -> ExitCode.OBJECTIVE_MISSED;
            case GENERATOR -> ExitCode.INVALID;
            case FOUND -> isLargeEnough() ? ExitCode.DONE : ExitCode.OBJECTIVE_MISSED;
        };
    }

    private boolean isLargeEnough() {
        CapacityRecord capacity = result.capacity();
        double rate = capacity == null ? 0 : capacity.ratePerSecond();
        return objective.bounds().stream()
                .filter(Objective.Bound::ofCapacity)
                .allMatch(bound -> bound.holds(rate));
    }
}
