package wallfinder.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// A folder for files of this process that only its user can read. If the process is killed, the
/// next one that makes such a folder removes it.
public final class OwnFolder implements AutoCloseable {
    /// The kernel unlocks it if the process is killed.
    private static final String LOCK = "lock";

    /// The folders of this process.
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private OwnFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /// In the folder for temporary files.
    ///
    /// @param prefix of its name; folders with the same one are of the same kind
    public static OwnFolder make(String prefix) throws IOException {
        return make(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    /// The same in another folder.
    public static OwnFolder make(Path parent, String prefix) throws IOException {
        removeLeft(parent, prefix);
        Path path =
                Files.createTempDirectory(
                        parent,
                        prefix,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        OWN.add(path);
        FileChannel lock =
                FileChannel.open(
                        path.resolve(LOCK),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        lock.lock();
        return new OwnFolder(path, lock);
    }

    public Path path() {
        return path;
    }

    private static void removeLeft(Path parent, String prefix) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, prefix + "*")) {
            for (Path left : folders) {
                // To close any descriptor of a locked file unlocks it for the whole process.
                if (!OWN.contains(left) && isOurs(left) && isUnlocked(left.resolve(LOCK))) {
                    remove(left);
                }
            }
        }
    }

    private static boolean isOurs(Path folder) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder).equals(Files.getOwner(Path.of("/proc/self")));
    }

    /// A new folder has no lock file for a moment.
    private static boolean isUnlocked(Path lock) {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock taken = channel.tryLock()) {
            return taken != null;
        } catch (IOException e) {
            return false;
        }
    }

    private static void remove(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all) {
                Files.delete(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // It belongs to somebody else, or is gone.
        }
    }

    /// Removes the folder with everything in it.
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            // The folder goes anyway.
        }
        remove(path);
        OWN.remove(path);
    }
}
