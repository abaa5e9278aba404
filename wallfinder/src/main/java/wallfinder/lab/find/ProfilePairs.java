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
import wallfinder.observation.Doubt;
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
        ShownPairs shown = ShownPairs.begin("profiling the remedy", PAIRS, progress);
        List<List<CpuWindow>> without = new ArrayList<>();
        List<List<CpuWindow>> with = new ArrayList<>();
        for (int pair = 1; pair <= PAIRS; pair++) {
            shown.show(pair - 1);
            List<TrialRunner.Seen> seen = new ArrayList<>();
            for (boolean changed : List.of(pair % 2 == 0, pair % 2 != 0)) {
                runner.profileOnce(
                                changed ? after : before,
                                connections,
                                warmUp,
                                "%s-pair-%d-%s".formatted(name, pair, changed ? "with" : "without"))
                        .ifPresent(seen::add);
            }
            seen.forEach(one -> trials.add(one.trial()));
            if (seen.size() < 2 || interruption.isRequested()) {
                break;
            }
            if (seen.stream().allMatch(ProfilePairs::isComplete)) {
                boolean withFirst = pair % 2 == 0;
                without.add(seen.get(withFirst ? 1 : 0).windows());
                with.add(seen.get(withFirst ? 0 : 1).windows());
            }
        }
        return ProfileChange.of(without, with);
    }

    /// A trial without the stacks of a JVM would look as if its methods had vanished.
    private static boolean isComplete(TrialRunner.Seen seen) {
        return seen.trial().caveats().stream().noneMatch(caveat -> caveat.is(Doubt.NO_STACKS));
    }
}
