package wallfinder.lab.trial;

import java.time.Duration;
import wallfinder.record.RunRecord;

/// A load that can be measured at any number of connections.
public interface ScalableLoad {
    /// Prepares the first measurement if no load below the wall is known: warms the service
    /// briefly, and measures its latency without load.
    void start(int connections);

    /// Prepares the first measurement with a known warm-up below the wall.
    void begin(WarmUp warmUp);

    /// The state of a service after a warm-up.
    enum State {
        /// The service still gets faster.
        COLD,
        /// The service gets no faster, or its warm-up took as long as it may.
        WARM,
        /// There is no warm-up.
        AS_IT_IS
    }

    /// Warms a service for a while between measurements.
    State rewarm(WarmUp warmUp);

    /// Whether the warm-up is complete.
    boolean warm();

    /// How many answers the service has given so far.
    long answered();

    /// Measures at one number of connections and diagnoses the observation.
    RunRecord.Trial trial(String name, int connections, Duration duration);
}
