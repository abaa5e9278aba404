package wallfinder.lab.trial;

import java.time.Duration;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;

/// The work that warms a service before it is measured.
///
/// This work is below the wall. At the wall a service would stay cold, and with a remedy it would
/// get warm. A comparison of the two would then show the warm-up, not the remedy.
///
/// @param connections the number of connections that drive it
/// @param answers the minimum number of answers; the warm-up continues until the service is warm
///   ([Warmth])
public record WarmUp(int connections, long answers) {
    /// If the wall is unknown, this part of the load is likely to be below it.
    private static final int LIKELY_DIVISOR = 4;

    /// A closed loop sends requests as fast as the service answers. A few connections are enough to
    /// warm a service with an open loop.
    private static final int CONNECTIONS_OF_OPEN_MAX = 4;

    /// The slower arm of a pair needs longer for the same number of answers.
    private static final int COUNTED_TIMES_LONGER = 2;

    public WarmUp {
        if (connections < 1 || answers < 0) {
            throw new IllegalArgumentException(connections + " connections, " + answers);
        }
    }

    public static WarmUp untilWarm(int connections) {
        return new WarmUp(Math.max(1, connections), 0);
    }

    /// The warm-up of a single trial, whose wall is unknown.
    public static WarmUp likelyBelow(int connections) {
        return untilWarm(connections / LIKELY_DIVISOR);
    }

    /// The load for the warm-up, a closed loop: an open loop's rate may be above the wall, and
    /// lockstep leaves the service idle between batches.
    LoadSpec.Http gentle(LoadSpec.Http load) {
        return load.with(new Arrival.Closed());
    }

    /// The time of this warm-up.
    ///
    /// @param longest with any number of answers
    public Duration longest(Duration longest) {
        return answers > 0 ? longest.multipliedBy(COUNTED_TIMES_LONGER) : longest;
    }

    /// This warm-up with the number of connections that the load needs.
    WarmUp of(LoadSpec.Http load) {
        return load.arrival() instanceof Arrival.Open
                ? new WarmUp(Math.min(connections, CONNECTIONS_OF_OPEN_MAX), answers)
                : this;
    }
}
