package wallfinder.lab.find;

import wallfinder.observation.Doubt;
import wallfinder.record.RunRecord;

/// Compares the rate of a climb with that of the pairs without the remedy. Both measured the same
/// load with the same settings and warm-up, so the rates agree.
final class ClimbAgreement {
    /// Fresh processes under a wall differ by this much, see the pairs of docs/studies/webflux.md.
    private static final double RATIO_MAX = 1.25;

    private ClimbAgreement() {}

    /// @return the climb's trial, with a doubt if the pairs do not agree with it
    static RunRecord.Trial of(RunRecord.Trial climb, RunRecord.Applied applied) {
        double climbed = Arms.speed(climb.observation().load());
        double paired = applied.before().perSecond();
        if (agree(climbed, paired)) {
            return climb;
        }
        return climb.with(Doubt.CLIMB_DIFFERS.caveat(climbed, paired));
    }

    private static boolean agree(double one, double other) {
        return Math.max(one, other) <= RATIO_MAX * Math.min(one, other);
    }
}
