package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A folder in the view of another process, such as the `/tmp` of a container. A symbolic link in
/// that view leads to a file of that view, and never to one of this host (`openat2(2)`, Linux 5.6).
public final class RootedFolder implements AutoCloseable {
    private static final long SYS_OPENAT2 = 437; // the same on every architecture
    private static final long O_NONBLOCK = 0x800;
    private static final int O_PATH = 0x200000;
    private static final long RESOLVE_NO_MAGICLINKS = 0x2;
    private static final long RESOLVE_NO_SYMLINKS = 0x4;
    private static final long RESOLVE_BENEATH = 0x8;
    private static final long RESOLVE_IN_ROOT = 0x10;

    /// Of the mode of a file (`inode(7)`).
    private static final int TYPE_BITS = 0170000;

    private static final int SOCKET_TYPE = 0140000;

    private static final NativeFunction SYSCALL = NativeFunction.raw();

    /// `flags`, `mode` and `resolve` of `struct open_how`.
    private static final int HOW_LONGS = 3;

    private final int folder;
    private final boolean guarded;
    private final List<Integer> opened = new ArrayList<>();

    /// @param guarded false without `openat2(2)`
    private RootedFolder(int folder, boolean guarded) {
        this.folder = folder;
        this.guarded = guarded;
        opened.add(folder);
    }

    /// @param path in the process's view, without the slash at its beginning
    /// @return null if there is no such folder, or this user may not see it
    public static @Nullable RootedFolder open(long pid, String path) {
        int root;
        try {
            root = Syscall.open("/proc/" + pid + "/root", O_PATH);
        } catch (SyscallException e) {
            return null;
        }
        try {
            long found =
                    openAt(
                            root,
                            path + "/.",
                            O_PATH | Syscall.O_CLOEXEC,
                            RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
            if (found >= 0) {
                return new RootedFolder((int) found, true);
            }
            boolean unknown = found == -Errno.ENOSYS.number() || found == -Errno.EPERM.number();
            return unknown && isOurs(pid) ? unguarded("/" + path) : null;
        } finally {
            Syscall.closeQuietly(root);
        }
    }

    /// Whether the process has the same files as this one. Then no link leads anywhere else.
    private static boolean isOurs(long pid) {
        return same(pid, "root") && same(pid, "ns/mnt");
    }

    private static boolean same(long pid, String link) {
        try {
            return Files.isSameFile(
                    Path.of("/proc/" + pid + "/" + link), Path.of("/proc/self/" + link));
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable RootedFolder unguarded(String path) {
        try {
            return new RootedFolder(Syscall.open(path + "/.", O_PATH), false);
        } catch (SyscallException e) {
            return null;
        }
    }

    private static long openAt(int folder, String path, long flags, long resolve) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(JAVA_LONG, HOW_LONGS);
            how.setAtIndex(JAVA_LONG, 0, flags);
            how.setAtIndex(JAVA_LONG, 2, resolve);
            MemorySegment name = arena.allocateFrom(path);
            return SYSCALL.call(
                    Syscall.errnoSegment(),
                    SYS_OPENAT2,
                    folder,
                    name.address(),
                    how.address(),
                    how.byteSize());
        }
    }

    /// Leads to the folder, while it is open. The last part of a longer path may be a link, so a
    /// caller must not follow it.
    public Path path() {
        return path(folder);
    }

    private static Path path(int descriptor) {
        return Path.of("/proc/self/fd", Integer.toString(descriptor));
    }

    /// A regular file in it, without any link on the way. The path leads to it until the folder is
    /// closed.
    ///
    /// @return null if there is none, or this user may not read it
    public @Nullable Path file(String name) {
        return kept(name, O_NONBLOCK, Files::isRegularFile);
    }

    /// A unix socket in it, without any link on the way, that belongs to one of these owners. The
    /// path leads to it until the folder is closed.
    ///
    /// @return null if there is none
    public @Nullable Path socket(String name, Set<Integer> owners) {
        return kept(name, O_PATH, path -> isSocket(path, owners));
    }

    private static boolean isSocket(Path path, Set<Integer> owners) {
        try {
            Map<String, Object> attributes = Files.readAttributes(path, "unix:mode,uid");
            return attributes.get("mode") instanceof Integer mode
                    && (mode & TYPE_BITS) == SOCKET_TYPE
                    && attributes.get("uid") instanceof Integer owner
                    && owners.contains(owner);
        } catch (IOException e) {
            return false;
        }
    }

    /// The kind of a file is that of the opened descriptor, so nobody can replace it afterwards.
    private @Nullable Path kept(String name, long flags, Predicate<Path> wanted) {
        if (!guarded) {
            Path path = path().resolve(name);
            return !Files.isSymbolicLink(path) && wanted.test(path) ? path : null;
        }
        int found =
                (int)
                        openAt(
                                folder,
                                name,
                                flags | Syscall.O_CLOEXEC,
                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
        if (found < 0) {
            return null;
        }
        Path path = path(found);
        if (!wanted.test(path)) {
            Syscall.closeQuietly(found);
            return null;
        }
        opened.add(found);
        return path;
    }

    @Override
    public void close() {
        opened.forEach(Syscall::closeQuietly);
        opened.clear();
    }
}
