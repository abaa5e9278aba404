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

/// A file that is locked while something lives and deleted at its end. The kernel frees the lock of
/// a process that ends in any way, so a file that is there without its lock tells of a dead owner.
final class LockFile implements AutoCloseable {
    /// Closing any channel to a file frees all locks that this process has on it (`fcntl(2)`), so
    /// what we hold ourselves is never opened again.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final int ATTEMPTS_MAX = 100;

    private final Path path;
    private final FileChannel channel;
    private boolean closed;

    private LockFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /// Takes the lock, making the file and its folder where they are not there.
    ///
    /// @return empty if somebody else holds it
    static Optional<LockFile> take(Path path) throws IOException {
        return take(path, true);
    }

    /// Takes the lock of a file that is there.
    ///
    /// @return empty if somebody else holds it or the file has gone
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

    /// A file may be deleted by its last owner while it is being locked here, so it counts only if
    /// the path still leads to the same file afterwards.
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
            // Somebody else has made it: whoever locks it first has it.
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

    /// Adds a line for whoever has to clean up; it is there before this returns.
    void note(String line) throws IOException {
        channel.write(
                ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)), channel.size());
    }

    /// The lines noted by the owner, or by a dead owner before.
    List<String> notes() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
        channel.read(bytes, 0);
        return new String(bytes.array(), StandardCharsets.UTF_8).lines().toList();
    }

    /// Deletes the file, and its folder if that was the last one, and frees the lock.
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
            // A file that cannot be deleted is swept by the next start: nothing else depends on it.
        } finally {
            HELD.remove(path);
        }
    }

    /// Frees the lock and leaves the file for a later sweep.
    synchronized void abandon() throws IOException {
        closed = true;
        try {
            channel.close();
        } finally {
            HELD.remove(path);
        }
    }
}
