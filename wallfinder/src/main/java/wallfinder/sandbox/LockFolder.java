package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;

/// The folder of this user's lock files: `/run/wallfinder` for root, else `wallfinder` in
/// `$XDG_RUNTIME_DIR`, else `/tmp/wallfinder-UID`. The build sets another one by the property
/// `wallfinder.locks`, because it must not wait for a measurement.
final class LockFolder {
    private LockFolder() {}

    static Path ofThisUser() {
        String locks = System.getProperty("wallfinder.locks");
        if (locks != null) {
            return Path.of(locks);
        }
        return of(
                UserNamespace.hostUid(),
                System.getenv("XDG_RUNTIME_DIR"),
                Path.of("/run"),
                Path.of("/tmp"));
    }

    static Path of(long hostUid, @Nullable String runtimeDir, Path run, Path tmp) {
        if (hostUid == 0 && Files.isWritable(run)) {
            return run.resolve("wallfinder");
        }
        if (runtimeDir != null && !runtimeDir.isEmpty() && Files.isWritable(Path.of(runtimeDir))) {
            return Path.of(runtimeDir, "wallfinder");
        }
        return tmp.resolve("wallfinder-" + hostUid);
    }

    /// Creates the folder if it is missing, accessible to its owner only.
    ///
    /// @throws EnvironmentException if it belongs to another user, or if others may write to it
    static void make(Path folder) throws IOException {
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            checkOurs(folder);
        }
    }

    private static void checkOurs(Path folder) throws IOException {
        Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        Object we = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        boolean folderItself = Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS);
        if (!folderItself || !owner.equals(we) || othersMayWrite(folder)) {
            throw new EnvironmentException(
                    "lock files cannot be created in " + folder,
                    "it is not a folder that only this user may write to",
                    "remove it, or set XDG_RUNTIME_DIR to a private folder");
        }
    }

    private static boolean othersMayWrite(Path folder) throws IOException {
        Set<?> permissions = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        return PosixFilePermissions.fromString("-w--w--w-").stream()
                .anyMatch(p -> permissions.contains(p) && !p.name().startsWith("OWNER"));
    }

    static void removeIfEmpty(Path folder) throws IOException {
        try {
            Files.delete(folder);
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // Other runs have files in it, or another run has just removed it.
        }
    }
}
