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

/// Raises a load until a wall binds, the rate stops growing, or the load reaches its maximum.
///
/// A cold service meets a wall earlier than a warm service, and the wall may be its warm-up. So at
/// a wall the climb warms the service for a while at the last level without a wall, and measures
/// again, until the service is warm. If the first level meets a wall, the climb goes down to a
/// level without a wall. The wall of a warm service is measured once more for the whole duration.
public final class Climb {
    /// The climb starts at the given load divided by this.
    private static final int START_DIVISOR = 16;

    /// Without a wall, the climb goes up to the given load times this factor.
    private static final int BEYOND_FACTOR = 16;

    private static final int CONNECTIONS_MAX = 16_384;

    /// The rate has stopped growing if a doubled load raises it by less than this factor.
    private static final double GROWTH_MIN = 1.05;

    /// Short, because a level before the wall only has to show that there is no wall.
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

    /// @param asked the given number of connections; the climb goes at least that far
    public Climb(ScalableLoad scalable, int asked, Duration duration, Interruption interruption) {
        this.scalable = scalable;
        this.asked = asked;
        this.duration = duration;
        this.interruption = interruption;
    }

    /// @param connections of the first level; 0 for a sixteenth of the given load
    /// @param warmUp the warm-up before the climb, or null if no load below the wall is known
    public record Start(int connections, @Nullable WarmUp warmUp) {
        public static final Start FIRST = new Start(0, null);
    }

    /// @param trials in their order; the climb ended at the last one, at the given load or more
    /// @param before the work of the service before the last trial, as work below the wall; a
    ///   repetition of that trial does the same work first
    public record Climbed(List<RunRecord.Trial> trials, WarmUp before) {}

    /// @param label the first part of the trials' names
    /// @param keep gets each trial as soon as it is measured, so that a later failure loses none
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
            measure(label + "-connections-" + level, level, shorter(LEVEL_MAX, duration), keep);
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

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
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

    /// Measures the wall again for the whole duration, if `level` is above the last load, if the
    /// service has become warm, or if the generator was the limit: a short pause of the host is
    /// enough to make a level of two seconds invalid.
    private void measureAgain(String label, int level, Consumer<RunRecord.Trial> keep) {
        boolean further = trials.getLast().observation().load().connections() < level;
        boolean warmer = mayBeCold() && scalable.warm();
        boolean repeats = further || warmer || trials.getLast().invalid();
        if (!interruption.isRequested() && !badAlone() && repeats) {
            measure(label + "-wall-" + level, level, duration, keep);
        }
    }

    /// Whether the wall may be the service's warm-up. More requests do not warm a service with
    /// errors, and a generator at its limit says nothing about the service.
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
                // An objective of the wall decides at the wall.
                || last.missesFigures()
                || badAlone()
                || (diagnosis.verdict() == Verdict.UNNAMED && grownLittle());
    }

    /// Whether the service gives bad answers even without load.
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
