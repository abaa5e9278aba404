package wallfinder.linux;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/// A thread's table of descriptors. The threads of a process share one table, and RLIMIT_NOFILE
/// limits each table: a thread with its own table may use the whole limit (`unshare(2)`,
/// CLONE_FILES).
///
/// Other threads do not see what such a thread opens, and the thread does not see what they open.
public final class DescriptorTable {
    private static final int CLONE_FILES = 0x400;
    private static final int STANDARD_ERROR = 2;
    private static final String FOLDER = "/proc/thread-self/fd";

    private static final NativeFunction UNSHARE = NativeFunction.ofInt("unshare");

    private DescriptorTable() {}

    /// The soft limit of this process, which applies to each table.
    public static long limit() {
        return Processes.descriptorLimit(0);
    }

    /// How many descriptors the calling thread's table has.
    public static int openCount() {
        return names().length;
    }

    /// Gives the calling thread its own table. The table keeps copies of the standard streams and
    /// of descriptors with a path, because class loading reads its archives by descriptor. It loses
    /// sockets, pipes, namespaces and rings at once: their copies would stay open after another
    /// thread has closed the original.
    ///
    /// Only for platform threads that end. The thread must not pass its descriptors to others.
    ///
    /// @throws SyscallException if the kernel or a container's seccomp filter refuses
    public static void unshare() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot have its own descriptors");
        }
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("unshare(CLONE_FILES)", UNSHARE.call(errno, CLONE_FILES));
        for (String name : names()) {
            int fd = Integer.parseInt(name);
            if (fd > STANDARD_ERROR && !hasPath(name)) {
                Syscall.closeQuietly(fd);
            }
        }
    }

    private static boolean hasPath(String descriptor) {
        try {
            return Files.readSymbolicLink(Path.of(FOLDER, descriptor)).startsWith("/");
        } catch (IOException e) {
            return true; // the descriptor by which the list was read is closed by now
        }
    }

    private static String[] names() {
        String[] names = new File(FOLDER).list();
        if (names == null) {
            throw new EnvironmentException(
                    "cannot count the descriptors of this process",
                    FOLDER + " cannot be read",
                    "check that /proc is mounted");
        }
        return names;
    }
}
