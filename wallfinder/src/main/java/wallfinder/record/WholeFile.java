package wallfinder.record;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/// Writes a file under another name in the same folder and moves it, whole or not at all. A file
/// that cannot be replaced, such as one that is mounted into a container, is written in its place.
public final class WholeFile {
    private WholeFile() {}

    /// The content of the file.
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// @throws IOException with the name of the file
    public static void write(Path path, Content content) throws IOException {
        try {
            writeWhole(path, content);
        } catch (FileSystemException e) {
            throw e; // it has a name
        } catch (IOException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    private static void writeWhole(Path path, Content content) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            // Write into a device or a pipe, such as /dev/stdout; never replace it.
            writeInto(path, content);
            return;
        }
        // Follow a symbolic link, so that the link stays.
        Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        Path part;
        try {
            part = beside(target);
        } catch (FileSystemException e) {
            writeInPlace(target, content, e);
            return;
        }
        try {
            writeInto(part, content);
            move(part, target, content);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void move(Path part, Path target, Content content) throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            writeInPlace(target, content, e);
        }
    }

    /// Leaves an older file alone if the disk is full.
    ///
    /// @param why it cannot be replaced
    private static void writeInPlace(Path target, Content content, FileSystemException why)
            throws IOException {
        String reason = String.valueOf(why.getReason());
        boolean full = reason.contains("space") || reason.contains("quota");
        if (full || !Files.isWritable(target)) {
            throw why;
        }
        writeInto(target, content);
    }

    /// With the rights of the user's umask, as for any other file.
    private static Path beside(Path target) throws IOException {
        var everyone = PosixFilePermissions.fromString("rw-rw-rw-");
        Path folder = target.getParent();
        String prefix = "." + target.getFileName() + ".";
        var rights = PosixFilePermissions.asFileAttribute(everyone);
        return Files.createTempFile(folder, prefix, ".part", rights);
    }

    private static void writeInto(Path path, Content content) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path), 1 << 16)) {
            content.writeTo(out);
        }
    }
}
