package wallfinder.sandbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;

/// A file that is locked while its owner lives, and that the owner deletes when it ends. The kernel
/// releases the lock when the process ends in any way, so a file without a lock belongs to a dead
/// owner.
final class LockFile implements AutoCloseable {
    /// Closing any channel to a file releases all locks that this process has on it (`fcntl(2)`),
    /// so a file that we have locked is never opened again.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final int ATTEMPTS_MAX = 100;

    private final Path path;
    private final FileChannel channel;
    private boolean closed;

    private LockFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /// Takes the lock. Creates the file and its folder if they are missing.
    ///
    /// @return empty if another owner holds it
    /// @throws EnvironmentException if the file cannot be created or locked
    static Optional<LockFile> take(Path path) {
        try {
            return take(path, true);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static EnvironmentException unusable(Path path, IOException e) {
        return new EnvironmentException(
                "the lock file " + path + " cannot be used",
                e.toString(),
                "make the folder writable, or set XDG_RUNTIME_DIR to one that is");
    }

    /// Takes the lock of an existing file.
    ///
    /// @return empty if another owner holds it, or if the file has been deleted
    static Optional<LockFile> takeExisting(Path path) throws IOException {
        return take(path, false);
    }

    private static Optional<LockFile> take(Path given, boolean create) throws IOException {
        Path path = given.toAbsolutePath();
        if (!HELD.add(path)) {
            return Optional.empty();
        }
        @Nullable LockFile taken = null;
        try {
            taken = open(path, create);
            return Optional.ofNullable(taken);
        } finally {
            if (taken == null) {
                HELD.remove(path);
            }
        }
    }

    /// The last owner may delete the file while we lock it. The lock counts only if the path still
    /// leads to the same file afterwards.
    private static @Nullable LockFile open(Path path, boolean create) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try {
                if (create) {
                    make(path);
                }
                Object before = key(path);
                FileChannel channel =
                        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                if (channel.tryLock() == null) {
                    channel.close();
                    return null;
                }
                if (before.equals(keyIfThere(path))) {
                    return new LockFile(path, channel);
                }
                channel.close();
            } catch (NoSuchFileException e) {
                if (!create) {
                    return null;
                }
            }
        }
        throw new IOException(path + " was deleted again and again while it was being locked");
    }

    private static void make(Path path) throws IOException {
        try {
            LockFolder.make(Objects.requireNonNull(path.getParent()));
            Files.createFile(path);
        } catch (FileAlreadyExistsException e) {
            // Another process has created it. Whoever locks it first owns it.
        }
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    private static @Nullable Object keyIfThere(Path path) throws IOException {
        try {
            return key(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /// Appends a line for whoever has to clean up. The line is in the file before this returns.
    ///
    /// @throws EnvironmentException if it cannot be written
    void note(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            channel.write(ByteBuffer.wrap(bytes), channel.size());
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /// The lines noted by this owner, or by a dead one.
    List<String> notes() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
        channel.read(bytes, 0);
        return new String(bytes.array(), StandardCharsets.UTF_8).lines().toList();
    }

    /// Deletes the file, and its folder if that is then empty, and releases the lock.
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Files.deleteIfExists(path);
            channel.close();
            LockFolder.removeIfEmpty(Objects.requireNonNull(path.getParent()));
        } catch (IOException e) {
            // The next start sweeps a file that cannot be deleted.
        } finally {
            HELD.remove(path);
        }
    }

    /// Releases the lock and leaves the file for a later sweep.
    synchronized void abandon() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            // The kernel releases the lock when this process ends.
        } finally {
            HELD.remove(path);
        }
    }
}
