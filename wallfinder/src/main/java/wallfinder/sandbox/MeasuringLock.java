package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import wallfinder.linux.EnvironmentException;

/// Lets each user measure one run at a time. Two runs would disturb each other.
public final class MeasuringLock implements AutoCloseable {
    private static final String NAME = "measuring.lock";
    private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

    private final LockFile file;

    private MeasuringLock(LockFile file) {
        this.file = file;
    }

    /// Waits until no other run holds the lock, and takes it.
    ///
    /// @param onWait called once, if it has to wait
    public static MeasuringLock await(Duration waitMax, Runnable onWait) {
        return await(LockFolder.ofThisUser(), waitMax, onWait);
    }

    static MeasuringLock await(Path folder, Duration waitMax, Runnable onWait) {
        Path path = folder.resolve(NAME);
        Optional<LockFile> taken = LockFile.take(path);
        if (taken.isEmpty()) {
            onWait.run();
        }
        long end = System.nanoTime() + waitMax.toNanos();
        while (taken.isEmpty()) {
            if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw new EnvironmentException(
                        "the measurement did not start",
                        "another run has been measuring for the last " + waitMax.toSeconds() + " s",
                        "wait until it ends, or stop it");
            }
            LockSupport.parkNanos(POLL_NANOS);
            taken = LockFile.take(path);
        }
        MeasuringLock lock = new MeasuringLock(taken.get());
        lock.noteHolder();
        AtExit.add(lock);
        return lock;
    }

    /// The process that holds the lock, if it is known.
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

    /// In its own PID namespace, a process does not know its PID outside.
    private void noteHolder() {
        try {
            file.note(
                    UserNamespace.separate() ? "-" : Long.toString(ProcessHandle.current().pid()));
        } catch (EnvironmentException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public void close() {
        AtExit.remove(this);
        file.close();
    }
}
