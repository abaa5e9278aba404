package wallfinder.lab.trial;

import java.time.Duration;
import wallfinder.record.RunRecord;

/// A load that can be measured at any number of connections.
public interface ScalableLoad {
    /// Before the first measurement, where it is unknown which load is below the wall: drives the
    /// service past its first requests, and finds out how fast it answers without load.
    void start(int connections);

    /// The same where it is known: warms the service.
    void begin(WarmUp warmUp);

    /// What warming a service for a while came to.
    enum State {
        /// It still gets faster.
        COLD,
        /// It gets no faster, or it has been warmed for as long as it may.
        WARM,
        /// There is nothing to warm.
        AS_IT_IS
    }

    /// Warms a service that has been measured already, for a while.
    State rewarm(WarmUp warmUp);

    /// Whether the service was warmed to its end.
    boolean warm();

    /// How many answers the service has given so far.
    long answered();

    /// Measures at one number of connections and judges what was seen.
    RunRecord.Trial trial(String name, int connections, Duration duration);
}
