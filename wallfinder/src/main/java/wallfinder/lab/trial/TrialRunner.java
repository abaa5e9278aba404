package wallfinder.lab.trial;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.experiment.Experiment;
import wallfinder.observation.CpuWindow;
import wallfinder.record.RunRecord;

/// Runs the trials of an experiment, so that `find` knows no sandbox.
public interface TrialRunner {
    /// Raises the load until a wall binds.
    ///
    /// @param keep gets each trial as soon as it is measured
    Climb.Climbed climb(
            Experiment experiment, Climb.Start start, String label, Consumer<RunRecord.Trial> keep);

    /// Measures at one load, for the experiment's whole duration, with fresh services.
    ///
    /// @throws NotStarted if the services did not start
    RunRecord.Trial single(Experiment experiment, int connections, WarmUp warmUp, String name);

    /// Measures at one load with the profiler and without it, several times, in one sandbox.
    ///
    /// @return empty if this load cannot be profiled
    Optional<Profiled> profile(Experiment experiment, int connections, WarmUp warmUp, String name);

    /// Measures at one load with many samples of the profiler, in a fresh sandbox.
    ///
    /// @return empty if this load cannot be profiled
    Optional<Seen> profileOnce(Experiment experiment, int connections, WarmUp warmUp, String name);

    /// One trial with the profiler.
    ///
    /// @param windows what the profiler saw; empty if it saw nothing
    record Seen(RunRecord.Trial trial, List<CpuWindow> windows) {}

    /// @param trials those without the profiler and those with it, in the order they ran; fewer if
    ///   the user stopped
    /// @param profile null if the services used no CPU
    record Profiled(List<RunRecord.Trial> trials, @Nullable CpuProfile profile) {}
}
