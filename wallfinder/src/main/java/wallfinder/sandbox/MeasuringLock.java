package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import wallfinder.linux.EnvironmentException;

/// One measuring run at a time for each user: two would measure each other.
public final class MeasuringLock implements AutoCloseable {
    private static final String NAME = "measuring.lock";
    private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

    private final LockFile file;

    private MeasuringLock(LockFile file) {
        this.file = file;
    }

    /// Takes the lock, waiting for the run that has it.
    ///
    /// @param onWait called once, before the waiting starts
    public static MeasuringLock await(Duration waitMax, Runnable onWait) {
        return await(LockFolder.ofThisUser(), waitMax, onWait);
    }

    static MeasuringLock await(Path folder, Duration waitMax, Runnable onWait) {
        Path path = folder.resolve(NAME);
        Optional<LockFile> taken = attempt(path);
        if (taken.isEmpty()) {
            onWait.run();
        }
        long end = System.nanoTime() + waitMax.toNanos();
        while (taken.isEmpty()) {
            if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw new EnvironmentException(
                        "the measurement did not start",
                        "another run has been measuring for the last " + waitMax.toSeconds() + " s",
                        "wait for its end, or end it");
            }
            LockSupport.parkNanos(POLL_NANOS);
            taken = attempt(path);
        }
        MeasuringLock lock = new MeasuringLock(taken.get());
        lock.tellWho(path);
        AtExit.add(lock);
        return lock;
    }

    /// The process that measures now, as far as it can be told.
    public static Optional<Long> holder() {
        try {
            return Files.readAllLines(LockFolder.ofThisUser().resolve(NAME)).reversed().stream()
                    .findFirst()
                    .filter(line -> line.matches("\\d{1,18}"))
                    .map(Long::valueOf);
        } catch (IOException e) {
            return Optional.empty(); // it has just ended
        }
    }

    /// In a process namespace of its own, a process does not know its number outside.
    private void tellWho(Path path) {
        try {
            file.note(
                    UserNamespace.separate() ? "-" : Long.toString(ProcessHandle.current().pid()));
        } catch (IOException e) {
            file.close();
            throw unusable(path, e);
        }
    }

    private static Optional<LockFile> attempt(Path path) {
        try {
            return LockFile.take(path);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static EnvironmentException unusable(Path path, IOException e) {
        return new EnvironmentException(
                "the lock file " + path + " cannot be made",
                e.toString(),
                "make the folder writable, or set XDG_RUNTIME_DIR to one that is");
    }

    @Override
    public void close() {
        AtExit.remove(this);
        file.close();
    }
}
