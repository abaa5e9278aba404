package wallfinder.lab.find;

import wallfinder.observation.Doubt;
import wallfinder.record.Applied;
import wallfinder.record.RunRecord;

/// Compares the rate of a climb with the rate of the pairs without the remedy. Both measure the
/// same load with the same settings and warm-up, so the rates should agree.
final class ClimbAgreement {
    /// Fresh processes at a wall may differ by this much: see the pairs in docs/studies/webflux.md.
    private static final double RATIO_MAX = 1.25;

    private ClimbAgreement() {}

    /// @return the climb's trial, with a doubt if the pairs disagree with it
    static RunRecord.Trial of(RunRecord.Trial climb, Applied applied) {
        double climbed = Arms.speed(climb.observation().load());
        double paired = applied.before().perSecond();
        return Math.max(climbed, paired) <= RATIO_MAX * Math.min(climbed, paired)
                ? climb
                : climb.with(Doubt.CLIMB_DIFFERS.caveat(climbed, paired));
    }
}
