package wallfinder.sampling;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
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
import wallfinder.linux.RootedFolder;

/// A new folder in a process's `/tmp`, into which only that process's user can write. A JVM writes
/// its log or its recording there.
///
/// Nobody can guess its name or place a link in it. It stays open, so it can be emptied after the
/// end of a process whose file system is no longer visible.
public final class TargetFolder implements AutoCloseable {
    private static final int DELETED_MAX = 100;

    private final SecureDirectoryStream<Path> tmp;
    private final SecureDirectoryStream<Path> folder;
    private final Path name;

    private TargetFolder(
            SecureDirectoryStream<Path> tmp, SecureDirectoryStream<Path> folder, Path name) {
        this.tmp = tmp;
        this.folder = folder;
        this.name = name;
    }

    /// @return null if this user may not create it
    @SuppressWarnings("StreamResourceLeak") // `close` closes it
    public static @Nullable TargetFolder create(int pid) {
        Path name = Path.of("wallfinder-" + UUID.randomUUID());
        try (RootedFolder rooted = RootedFolder.open(pid, "tmp")) {
            if (rooted == null) {
                return null;
            }
            Path path = rooted.path();
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

    private static TargetFolder create(
            int pid, SecureDirectoryStream<Path> tmp, Path path, Path name) throws IOException {
        Files.createDirectory(
                path,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            give(pid, path);
            return new TargetFolder(
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

    /// The path of a file in the process's view.
    public String path(String file) {
        return "/tmp/" + name + "/" + file;
    }

    /// Identifies the file that has this name now.
    Object key(String file) throws IOException {
        return folder.getFileAttributeView(
                        Path.of(file), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .fileKey();
    }

    SeekableByteChannel open(String file) throws IOException {
        return folder.newByteChannel(
                Path.of(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /// Copies a file that the process has written to a path of ours.
    public void copyOut(String file, Path to) throws IOException {
        try (InputStream from = Channels.newInputStream(open(file))) {
            Files.copy(from, to);
        }
    }

    /// Places a file for the process to read.
    public void place(String file, InputStream content) throws IOException {
        try (SeekableByteChannel to =
                folder.newByteChannel(
                        Path.of(file),
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("r-xr-xr-x")))) {
            content.transferTo(Channels.newOutputStream(to));
        }
    }

    /// Deletes the folder and the files in it.
    @Override
    public void close() {
        try (tmp;
                folder) {
            int deleted = 0;
            for (Path path : folder) {
                if (deleted++ < DELETED_MAX) {
                    folder.deleteFile(path.getFileName());
                }
            }
            tmp.deleteDirectory(name);
        } catch (IOException | DirectoryIteratorException e) {
            // Something else is in it, so it stays.
        }
    }
}
