package wallfinder.sampling;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.observation.Reader;

/// Looks at the services while they get no requests, to distinguish threads that spin from workers
/// that are busy with the load.
public final class UnloadedLook {
    /// Many kernel ticks of 4 ms, and too short for a user to notice.
    private static final Duration SPAN = Duration.ofMillis(100);

    private UnloadedLook() {}

    /// @param readers the readers of the measurement that follows
    /// @param pause waits that long without load
    public static void take(List<Reader> readers, Consumer<Duration> pause) {
        List<ProcessReader> processes =
                readers.stream()
                        .filter(ProcessReader.class::isInstance)
                        .map(ProcessReader.class::cast)
                        .toList();
        if (processes.isEmpty()) {
            return;
        }
        processes.forEach(ProcessReader::beginUnloaded);
        pause.accept(SPAN);
        processes.forEach(ProcessReader::endUnloaded);
    }
}
