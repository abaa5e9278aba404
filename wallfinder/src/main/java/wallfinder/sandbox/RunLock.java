package wallfinder.sandbox;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import wallfinder.linux.EnvironmentException;

/// Shows other processes that a run is alive and what it creates: a locked file with a line for
/// each cgroup folder, written before the folder is created. A later start sweeps up what a run
/// without a lock left behind (see [Leftovers]).
public final class RunLock implements AutoCloseable {
    static final String SUFFIX = ".run";

    /// Between creating and locking the file, a sweep may hold it for a moment.
    private static final Duration SWEEP_MAX = Duration.ofSeconds(5);

    private final String runId;
    private final LockFile file;
    private final Set<Path> noted = new HashSet<>();

    private RunLock(String runId, LockFile file) {
        this.runId = runId;
        this.file = file;
    }

    /// Takes the lock of a new run.
    ///
    /// @param runId unique; letters, digits, dots, dashes and underscores
    public static RunLock hold(String runId) {
        return hold(LockFolder.ofThisUser(), runId);
    }

    static RunLock hold(Path folder, String runId) {
        if (!runId.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")) {
            throw new IllegalArgumentException("a run's id may not be \"" + runId + "\"");
        }
        AtomicReference<Optional<LockFile>> taken = new AtomicReference<>(Optional.empty());
        Wait.until(
                SWEEP_MAX,
                () -> {
                    taken.set(LockFile.take(folder.resolve(runId + SUFFIX)));
                    return taken.get().isPresent();
                });
        LockFile file =
                taken.get()
                        .orElseThrow(() ->
                                new EnvironmentException(
                                        "the run " + runId + " cannot start",
                                        "another run has the same id",
                                        "start it again"));
        RunLock lock = new RunLock(runId, file);
        AtExit.add(lock);
        return lock;
    }

    public String runId() {
        return runId;
    }

    /// Notes a cgroup folder that will be created next.
    synchronized void note(Path folder) {
        if (noted.add(folder)) {
            file.note(folder.toString());
        }
    }

    @Override
    public void close() {
        AtExit.remove(this);
        file.close();
    }
}
