package wallfinder.linux;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/// The table in which a thread's descriptors stand. All threads of a process share one, and the
/// limit on descriptors is a limit on each table: a thread with a table of its own has the whole
/// limit for itself (`unshare(2)`, CLONE_FILES).
///
/// What such a thread opens, others do not see, and only it can close. It ends with the thread.
public final class DescriptorTable {
    private static final int CLONE_FILES = 0x400;
    private static final int RLIMIT_NOFILE = 7;
    private static final int STANDARD_ERROR = 2;
    private static final String FOLDER = "/proc/thread-self/fd";

    private static final NativeFunction UNSHARE = NativeFunction.ofInt("unshare");
    private static final NativeFunction GETRLIMIT = NativeFunction.ofInt("getrlimit");

    private DescriptorTable() {}

    /// The limit of this process, for each table.
    public static long limit() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
            MemorySegment errno = Syscall.errnoSegment();
            long result = GETRLIMIT.call(errno, RLIMIT_NOFILE, limit.address());
            Syscall.check("getrlimit(RLIMIT_NOFILE)", result);
            long soft = limit.get(ValueLayout.JAVA_LONG, 0);
            return soft < 0 ? Long.MAX_VALUE : soft;
        }
    }

    /// How many descriptors are open in the calling thread's table.
    public static int openCount() {
        return names().length;
    }

    /// Gives the calling thread a table of its own. Of what was open it keeps copies of what has a
    /// path: class loading reads its archives by number; and the standard streams. Copies of
    /// sockets, pipes, namespaces and rings are closed at once, for they would outlive what the
    /// others close.
    ///
    /// Only for platform threads that end: nothing that is opened here may be handed to others, and
    /// what others open from now on is not there.
    ///
    /// @throws SyscallException if the kernel or a filter of the container refuses
    public static void unshare() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread has no descriptors of its own");
        }
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("unshare(CLONE_FILES)", UNSHARE.call(errno, CLONE_FILES));
        Sockets sockets = new Sockets();
        for (String name : names()) {
            int fd = Integer.parseInt(name);
            if (fd > STANDARD_ERROR && !hasPath(name)) {
                sockets.close(fd);
            }
        }
    }

    /// The one that the list itself was read by is closed by now.
    private static boolean hasPath(String descriptor) {
        try {
            return Files.readSymbolicLink(Path.of(FOLDER, descriptor)).startsWith("/");
        } catch (IOException e) {
            return true;
        }
    }

    private static String[] names() {
        String[] names = new File(FOLDER).list();
        if (names == null) {
            throw new EnvironmentException(
                    "the descriptors of this process cannot be counted",
                    FOLDER + " cannot be read",
                    "check that /proc is mounted");
        }
        return names;
    }
}
