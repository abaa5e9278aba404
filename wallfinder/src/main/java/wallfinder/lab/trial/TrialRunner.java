package wallfinder.lab.trial;

import java.util.function.Consumer;
import wallfinder.experiment.Experiment;
import wallfinder.record.RunRecord;

/// Runs the trials of an experiment. `find` decides which trial comes next and knows no sandbox.
public interface TrialRunner {
    /// Raises the load until it stops.
    ///
    /// @param keep gets each trial as soon as it is measured
    Climb.Climbed climb(
            Experiment experiment, Climb.Start start, String label, Consumer<RunRecord.Trial> keep);

    /// Measures at one load, for the experiment's whole duration, with services of its own.
    RunRecord.Trial single(Experiment experiment, int connections, WarmUp warmUp, String name);
}
