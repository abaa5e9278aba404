package wallfinder.lab;

import java.time.Duration;
import wallfinder.report.RunRecord;

/// A load that can be measured at any number of connections.
interface Levels {
    /// Once, before the first measurement.
    ///
    /// @param connections that will surely be asked for
    void begin(int connections);

    /// Measures at one number of connections and judges what was seen.
    RunRecord.Trial trial(String name, int connections, Duration duration);
}
