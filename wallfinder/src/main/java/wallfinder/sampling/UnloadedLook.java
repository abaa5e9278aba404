package wallfinder.sampling;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.observation.Reader;

/// Looks at the services while they get no requests, to distinguish threads that spin from workers
/// that are busy with the load, and workers that wait for work from workers that wait for a lock.
public final class UnloadedLook {
    /// Many kernel ticks of 4 ms, and too short for a user to notice.
    private static final Duration SPAN = Duration.ofMillis(100);

    private UnloadedLook() {}

    /// @param readers the readers of the measurement that follows
    /// @param pause waits that long without load
    public static void take(List<Reader> readers, Consumer<Duration> pause) {
        List<ProcessReader> processes = of(ProcessReader.class, readers);
        List<WaitsReader> waits = of(WaitsReader.class, readers);
        List<UnixDependenciesReader> unix = of(UnixDependenciesReader.class, readers);
        if (processes.isEmpty()) {
            return;
        }
        processes.forEach(ProcessReader::beginUnloaded);
        waits.forEach(WaitsReader::beginUnloaded);
        unix.forEach(UnixDependenciesReader::beginUnloaded);
        pause.accept(SPAN);
        processes.forEach(ProcessReader::endUnloaded);
        waits.forEach(WaitsReader::endUnloaded);
        unix.forEach(UnixDependenciesReader::endUnloaded);
    }

    private static <R extends Reader> List<R> of(Class<R> kind, List<Reader> readers) {
        return readers.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
