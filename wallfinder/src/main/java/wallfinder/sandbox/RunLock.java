package wallfinder.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;

/// Shows other processes that a run is alive and what it creates: a locked file with a line for
/// each cgroup folder, written before the folder is created. The next run sweeps up what a run
/// without a lock left behind (see [Leftovers]).
public final class RunLock implements AutoCloseable {
    static final String SUFFIX = ".run";

    /// Between creating and locking the file, a sweep may hold it for a moment.
    private static final Duration SWEEP_MAX = Duration.ofSeconds(5);

    private final String runId;
    private final LockFile file;
    private final List<Caveat> caveats;
    private final Set<Path> noted = new HashSet<>();

    private RunLock(String runId, LockFile file, List<Caveat> caveats) {
        this.runId = runId;
        this.file = file;
        this.caveats = caveats;
    }

    /// Sweeps what dead runs left behind, and takes the lock of a new run.
    ///
    /// @param runId unique; letters, digits, dots, dashes and underscores
    public static RunLock hold(String runId) {
        return hold(LockFolder.ofThisUser(), runId);
    }

    static RunLock hold(Path folder, String runId) {
        if (!runId.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")) {
            throw new IllegalArgumentException("a run's id may not be \"" + runId + "\"");
        }
        Leftovers.Swept swept = Leftovers.sweep(folder);
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
        List<Caveat> caveats =
                swept.failures().stream().map(one -> Doubt.LEFTOVERS.caveat(one)).toList();
        RunLock lock = new RunLock(runId, file, caveats);
        AtExit.add(lock);
        return lock;
    }

    public String runId() {
        return runId;
    }

    /// The doubts about every measurement of this run: what dead runs left behind and could not be
    /// removed.
    public List<Caveat> caveats() {
        return caveats;
    }

    /// Notes a cgroup folder that will be created next.
    synchronized void note(Path folder) {
        if (noted.add(folder)) {
            file.note(folder.toString());
        }
    }

    /// The file stays for the next sweep if a noted folder could not be removed.
    @Override
    public synchronized void close() {
        AtExit.remove(this);
        if (noted.stream().anyMatch(Files::exists)) {
            file.abandon();
        } else {
            file.close();
        }
    }
}
