package wallfinder.lab.trial;

import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;

/// The work that warms a service before it is measured.
///
/// It is work below the wall. A service that warms up under the load that is its wall stays cold
/// where the wall holds it up, and gets warm where a remedy has moved the wall: a comparison of the
/// two would show the warm-up, not the remedy.
///
/// @param connections that drive it
/// @param answers how many answers the service gives at the least; beyond that, as many as it takes
///   until it is warm, see [Warmth]
public record WarmUp(int connections, long answers) {
    /// Where nobody knows where the wall is, this part of the load is likely to be below it.
    private static final int LIKELY_DIVISOR = 4;

    /// A closed loop asks as fast as it is answered: a few connections are enough to warm a service
    /// whose load comes by the clock.
    private static final int CONNECTIONS_OF_OPEN_MAX = 4;

    public WarmUp {
        if (connections < 1 || answers < 0) {
            throw new IllegalArgumentException(connections + " connections, " + answers);
        }
    }

    public static WarmUp untilWarm(int connections) {
        return new WarmUp(Math.max(1, connections), 0);
    }

    /// For a single trial, whose wall is unknown.
    public static WarmUp likelyBelow(int connections) {
        return untilWarm(connections / LIKELY_DIVISOR);
    }

    /// The load that does this work, a closed loop: nobody knows which rate of an open loop is
    /// below the wall, and batches in lockstep leave the service idle between them.
    LoadSpec.Http gentle(LoadSpec.Http load) {
        return load.with(new Arrival.Closed());
    }

    /// The same with the connections that this needs.
    WarmUp of(LoadSpec.Http load) {
        return load.arrival() instanceof Arrival.Open
                ? new WarmUp(Math.min(connections, CONNECTIONS_OF_OPEN_MAX), answers)
                : this;
    }
}
