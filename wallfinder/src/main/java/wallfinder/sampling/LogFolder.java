package wallfinder.sampling;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A new folder in a process's `/tmp`, into which only that process's user can write. The process
/// writes its log there.
///
/// Nobody can guess its name or place a link in it. It stays open, so it can be emptied after the
/// end of a process whose file system is no longer visible.
final class LogFolder implements AutoCloseable {
    private static final Path FILE = Path.of("gc.log");

    /// The JVM gives the full file this name.
    private static final Path OLDER = Path.of("gc.log.0");

    private final SecureDirectoryStream<Path> tmp;
    private final SecureDirectoryStream<Path> folder;
    private final Path name;

    private LogFolder(
            SecureDirectoryStream<Path> tmp, SecureDirectoryStream<Path> folder, Path name) {
        this.tmp = tmp;
        this.folder = folder;
        this.name = name;
    }

    /// @return null if this user may not create it
    @SuppressWarnings("StreamResourceLeak") // `close` closes it
    static @Nullable LogFolder create(int pid) {
        Path path = Path.of("/proc", Integer.toString(pid), "root", "tmp");
        Path name = Path.of("wallfinder-gc-" + UUID.randomUUID());
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return null; // in a container, a link would lead to a folder of this host
        }
        try {
            SecureDirectoryStream<Path> tmp = secure(Files.newDirectoryStream(path));
            try {
                return create(pid, tmp, path.resolve(name), name);
            } catch (IOException e) {
                tmp.close();
                throw e;
            }
        } catch (IOException e) {
            return null;
        }
    }

    private static LogFolder create(int pid, SecureDirectoryStream<Path> tmp, Path path, Path name)
            throws IOException {
        Files.createDirectory(
                path,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            give(pid, path);
            return new LogFolder(
                    tmp, tmp.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS), name);
        } catch (IOException e) {
            tmp.deleteDirectory(name);
            throw e;
        }
    }

    /// The process may belong to another user.
    private static void give(int pid, Path path) throws IOException {
        KernelText status = new KernelText();
        if (!status.loadOnce("/proc/" + pid + "/status") || !status.seek(KernelText.key("Uid:"))) {
            throw new FileSystemException("the process has ended");
        }
        status.skipWord(); // the real user
        int user = (int) status.number();
        if (!Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(user)) {
            Files.setAttribute(path, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) {
        return (SecureDirectoryStream<Path>) stream; // as on every Linux
    }

    /// The log's path in the process's view.
    String path() {
        return "/tmp/" + name + "/" + FILE;
    }

    /// Identifies the file that has the log's name now.
    Object key() throws IOException {
        return folder.getFileAttributeView(
                        FILE, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .fileKey();
    }

    SeekableByteChannel open() throws IOException {
        return folder.newByteChannel(
                FILE, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /// Deletes the folder and the files in it.
    @Override
    public void close() {
        try (tmp;
                folder) {
            delete(FILE);
            delete(OLDER);
            tmp.deleteDirectory(name);
        } catch (IOException e) {
            // Something else is in it, so it stays.
        }
    }

    private void delete(Path file) {
        try {
            folder.deleteFile(file);
        } catch (IOException e) {
            // The process has not written it.
        }
    }
}
