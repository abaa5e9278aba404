package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.lab.session.Interruption;
import wallfinder.record.RunRecord;

/// Raises a load until a wall binds, the rate grows no more, or the bound is reached.
///
/// A cold service stops earlier than a warm one, and what it stops at may be its own warm-up. So
/// where it stops, the climb warms it for a while at the last level without a wall, and measures
/// the same level again, until the service is warm. If the first level stops it already, the climb
/// goes down to one that does not. Where a warm service stops is measured once more for the whole
/// time.
public final class Climb {
    /// The climb starts this far below the load that was asked for.
    private static final int START_DIVISOR = 16;

    /// And goes this far beyond it, if nothing stops it before.
    private static final int BEYOND_FACTOR = 16;

    private static final int CONNECTIONS_MAX = 16_384;

    /// A doubled load that gives less than this much more has reached the top.
    private static final double GROWTH_MIN = 1.05;

    /// Until a wall is met, a level has only to show that there is none.
    private static final Duration LEVEL_MAX = Duration.ofSeconds(2);

    private static final int UNKNOWN = 0;
    private static final String AGAIN = "-try-";

    private final ScalableLoad scalable;
    private final int asked;
    private final Duration duration;
    private final Interruption interruption;
    private final List<RunRecord.Trial> trials = new ArrayList<>();
    private final Map<String, Integer> timesByName = new HashMap<>();

    /// The last level without a wall.
    private int calm = UNKNOWN;

    private long answeredBefore;

    /// @param asked the connections that were asked for: the climb goes there at least
    public Climb(ScalableLoad scalable, int asked, Duration duration, Interruption interruption) {
        this.scalable = scalable;
        this.asked = asked;
        this.duration = duration;
        this.interruption = interruption;
    }

    /// Where a climb begins.
    ///
    /// @param connections of the first level, 0 for a sixteenth of the load that was asked for
    /// @param warmUp what warms the service before, or null if it is unknown which load does
    public record Start(int connections, @Nullable WarmUp warmUp) {
        public static final Start FIRST = new Start(0, null);
    }

    /// What a climb measured.
    ///
    /// @param trials in their order; the last one is where it stopped, at the load that was asked
    ///   for or more
    /// @param before the work that the service had done before that last trial, as work below the
    ///   wall: whoever measures the same again gives the service the same work first
    public record Climbed(List<RunRecord.Trial> trials, WarmUp before) {}

    /// Climbs.
    ///
    /// @param label the first part of the trials' names
    /// @param keep gets each trial as soon as it is measured, so that a failure later loses none
    public Climbed climb(Start start, String label, Consumer<RunRecord.Trial> keep) {
        int level =
                start.connections() > 0 ? start.connections() : Math.max(1, asked / START_DIVISOR);
        WarmUp warmUp = start.warmUp();
        if (warmUp == null) {
            scalable.start(level);
        } else {
            calm = warmUp.connections();
            scalable.begin(warmUp);
        }
        int highest =
                (int) Math.min((long) asked * BEYOND_FACTOR, Math.max(CONNECTIONS_MAX, asked));
        while (!interruption.isRequested()) {
            measure(label + "-connections-" + level, level, shorter(LEVEL_MAX), keep);
            if (stops() && mayBeCold()) {
                if (calm == UNKNOWN && level > 1) {
                    level = level / 2;
                    continue;
                }
                if (scalable.rewarm(WarmUp.untilWarm(calm)) == ScalableLoad.State.COLD) {
                    continue;
                }
            }
            if (stops()) {
                level = Math.max(level, asked);
                measureAgain(label, level, keep);
                if (stops()) {
                    break;
                }
            }
            if (level >= highest) {
                break;
            }
            calm = level;
            level = Math.min(2 * level, highest);
        }
        return new Climbed(List.copyOf(trials), new WarmUp(Math.max(1, calm), answeredBefore));
    }

    private Duration shorter(Duration max) {
        return duration.compareTo(max) < 0 ? duration : max;
    }

    private void measure(
            String name, int connections, Duration time, Consumer<RunRecord.Trial> keep) {
        answeredBefore = scalable.answered();
        int times = timesByName.merge(name, 1, Integer::sum);
        String unique = times == 1 ? name : name + AGAIN + times;
        RunRecord.Trial trial = scalable.trial(unique, connections, time).as(RunRecord.Role.CLIMB);
        trials.add(trial);
        keep.accept(trial);
    }

    /// Measures where it stopped once more, for the whole time and at the load that was asked for
    /// at least, unless that would show nothing new.
    private void measureAgain(String label, int level, Consumer<RunRecord.Trial> keep) {
        boolean further = trials.getLast().observation().load().connections() < level;
        boolean warmer = mayBeCold() && scalable.warm();
        if (!interruption.isRequested() && !badAlone() && (further || warmer)) {
            measure(label + "-wall-" + level, level, duration, keep);
        }
    }

    /// A service that failed is not warmed by more requests, and a generator at its limit is not
    /// the service's cold.
    private boolean mayBeCold() {
        RunRecord.Trial trial = trials.getLast();
        Judgement.Binds headline = trial.diagnosis().headline();
        return !trial.invalid()
                && !badAlone()
                && (headline == null || headline.harm() != Harm.ERRORS);
    }

    private boolean stops() {
        RunRecord.Trial last = trials.getLast();
        Diagnosis diagnosis = last.diagnosis();
        return diagnosis.verdict() == Verdict.NAMED
                || diagnosis.verdict() == Verdict.INVALID
                || Boolean.FALSE.equals(last.objectiveMet())
                || badAlone()
                || (diagnosis.verdict() == Verdict.UNNAMED && grownLittle());
    }

    /// Whether no load is needed for bad answers.
    private boolean badAlone() {
        return trials.getLast().observation().load().answers().mostlyBadAlone();
    }

    /// Whether the rate is hardly more than at the next smaller load.
    private boolean grownLittle() {
        RunRecord.Trial last = trials.getLast();
        int connections = last.observation().load().connections();
        return trials.reversed().stream()
                .filter(trial -> trial.observation().load().connections() < connections)
                .findFirst()
                .filter(before -> rate(last) < GROWTH_MIN * rate(before))
                .isPresent();
    }

    private static double rate(RunRecord.Trial trial) {
        return trial.observation().load().throughput();
    }
}
