package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wallfinder.diagnosis.ProfileChange;
import wallfinder.experiment.Experiment;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.trial.TrialRunner;
import wallfinder.lab.trial.WarmUp;
import wallfinder.observation.CpuWindow;
import wallfinder.record.RunRecord;

/// Profiles services without and with a remedy. Each trial has fresh processes, because two starts
/// of a JVM compile the same program differently. The order of the arms is ABBA.
///
/// @param trials gets each trial as soon as it is measured
public record ProfilePairs(
        TrialRunner runner,
        Interruption interruption,
        Progress progress,
        List<RunRecord.Trial> trials) {
    /// With fewer pairs, Student's t asks too much of a difference that is one of many.
    private static final int PAIRS = 8;

    /// @return empty if the user stopped too soon, or if this load cannot be profiled
    public Optional<ProfileChange> measure(
            Experiment before, Experiment after, int connections, WarmUp warmUp, String name) {
        progress.say("  profiling it without and with the remedy, %d times each".formatted(PAIRS));
        List<List<CpuWindow>> without = new ArrayList<>();
        List<List<CpuWindow>> with = new ArrayList<>();
        for (int pair = 1; pair <= PAIRS; pair++) {
            for (boolean changed : List.of(pair % 2 == 0, pair % 2 != 0)) {
                Optional<TrialRunner.Seen> seen =
                        runner.profileOnce(
                                changed ? after : before,
                                connections,
                                warmUp,
                                "%s-pair-%d-%s"
                                        .formatted(name, pair, changed ? "with" : "without"));
                seen.ifPresent(one -> trials.add(one.trial()));
                if (seen.isEmpty() || interruption.isRequested()) {
                    return ProfileChange.of(without, with);
                }
                (changed ? with : without).add(seen.get().windows());
            }
        }
        return ProfileChange.of(without, with);
    }
}
