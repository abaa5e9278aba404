package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import wallfinder.linux.EnvironmentException;

/// Tells everybody that a run lives, and what it has made: a locked file with a line for each
/// cgroup folder, written before the folder is made. Closed at the run's end; a later start sweeps
/// what a run without its lock has left (see [Leftovers]).
public final class RunLock implements AutoCloseable {
    static final String SUFFIX = ".run";

    /// A sweep may hold the file for a moment between its making and its locking.
    private static final Duration SWEEP_MAX = Duration.ofSeconds(5);

    private final String runId;
    private final LockFile file;
    private final Set<Path> noted = new HashSet<>();

    private RunLock(String runId, LockFile file) {
        this.runId = runId;
        this.file = file;
    }

    /// Starts a run.
    ///
    /// @param runId letters, digits, dots, dashes and underscores; no other run has it
    public static RunLock hold(String runId) {
        return hold(LockFolder.ofThisUser(), runId);
    }

    static RunLock hold(Path folder, String runId) {
        if (!runId.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")) {
            throw new IllegalArgumentException("a run's id may not be \"" + runId + "\"");
        }
        AtomicReference<Optional<LockFile>> taken = new AtomicReference<>(Optional.empty());
        boolean held =
                Wait.until(
                        SWEEP_MAX,
                        () -> {
                            taken.set(attempt(folder.resolve(runId + SUFFIX)));
                            return taken.get().isPresent();
                        });
        if (!held) {
            throw new EnvironmentException(
                    "the run " + runId + " cannot start",
                    "a run of that id lives",
                    "start it anew");
        }
        RunLock lock = new RunLock(runId, taken.get().orElseThrow());
        AtExit.add(lock);
        return lock;
    }

    private static Optional<LockFile> attempt(Path path) {
        try {
            return LockFile.take(path);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "the lock file " + path + " cannot be made",
                    e.toString(),
                    "make the folder writable, or set XDG_RUNTIME_DIR to one that is");
        }
    }

    public String runId() {
        return runId;
    }

    /// Notes a cgroup folder that is about to be made.
    synchronized void note(Path folder) {
        if (!noted.add(folder)) {
            return;
        }
        try {
            file.note(folder.toString());
        } catch (IOException e) {
            throw new EnvironmentException(
                    "what the run makes cannot be noted", e.toString(), "free some space");
        }
    }

    @Override
    public void close() {
        AtExit.remove(this);
        file.close();
    }
}
