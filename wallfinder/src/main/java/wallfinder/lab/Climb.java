package wallfinder.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Verdict;
import wallfinder.report.RunRecord;

/// Raises a load until a wall binds, the rate grows no more, or the bound is reached.
final class Climb {
    /// The climb starts this far below the load that was asked for.
    private static final int START_DIVISOR = 16;

    /// And goes this far beyond it, if nothing stops it before.
    private static final int BEYOND_FACTOR = 16;

    private static final int CONNECTIONS_MAX = 16_384;

    /// A doubled load that gives less than this much more has reached the top.
    private static final double GROWTH_MIN = 1.05;

    private static final Duration LEVEL_MAX = Duration.ofSeconds(4);

    private final Levels levels;
    private final int asked;
    private final Duration duration;
    private final Interruption interruption;

    /// @param asked the connections that were asked for: the climb goes there at least
    Climb(Levels levels, int asked, Duration duration, Interruption interruption) {
        this.levels = levels;
        this.asked = asked;
        this.duration = duration.compareTo(LEVEL_MAX) < 0 ? duration : LEVEL_MAX;
        this.interruption = interruption;
    }

    /// Climbs from a sixteenth of the load that was asked for, or from where the last wall stood.
    ///
    /// @param from the connections to start with, zero for the usual start
    /// @param label the first part of the trials' names
    /// @param keep gets each trial as soon as it is measured, so that a failure later loses none
    /// @return the trials in their order; the last one is where it stopped, at the load that was
    ///   asked for or more
    List<RunRecord.Trial> climb(int from, String label, Consumer<RunRecord.Trial> keep) {
        List<RunRecord.Trial> trials = new ArrayList<>();
        int highest =
                (int) Math.min((long) asked * BEYOND_FACTOR, Math.max(CONNECTIONS_MAX, asked));
        int level = from > 0 ? from : Math.max(1, asked / START_DIVISOR);
        levels.begin(Math.max(asked, from));
        while (!interruption.isRequested()) {
            trials.add(trial(label, level, keep));
            if (stops(trials)) {
                if (level < asked && !interruption.isRequested()) {
                    trials.add(trial(label, asked, keep));
                }
                return trials;
            }
            if (level >= highest) {
                return trials;
            }
            level = Math.min(2 * level, highest);
        }
        return trials;
    }

    private RunRecord.Trial trial(String label, int connections, Consumer<RunRecord.Trial> keep) {
        String name = label + "-connections-" + connections;
        RunRecord.Trial trial = levels.trial(name, connections, duration);
        keep.accept(trial);
        return trial;
    }

    private static boolean stops(List<RunRecord.Trial> trials) {
        RunRecord.Trial last = trials.getLast();
        Diagnosis diagnosis = last.diagnosis();
        return diagnosis.verdict() == Verdict.NAMED
                || diagnosis.verdict() == Verdict.INVALID
                || Boolean.FALSE.equals(last.objectiveMet())
                || (diagnosis.verdict() == Verdict.UNNAMED
                        && trials.size() > 1
                        && grownLittle(trials));
    }

    private static boolean grownLittle(List<RunRecord.Trial> trials) {
        double last = trials.getLast().observation().load().throughput();
        double before = trials.get(trials.size() - 2).observation().load().throughput();
        return last < GROWTH_MIN * before;
    }
}
