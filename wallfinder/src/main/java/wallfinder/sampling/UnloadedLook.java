package wallfinder.sampling;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.observation.Reader;

/// Looks at the services while nothing is asked of them, so that a thread which spins is not taken
/// for a worker that is busy with the load.
public final class UnloadedLook {
    /// Long enough for the kernel's tick of 4 ms, and too short to be waited for.
    private static final Duration SPAN = Duration.ofMillis(100);

    private UnloadedLook() {}

    /// @param readers made for the measurement that follows
    /// @param pause waits that long without a load
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
