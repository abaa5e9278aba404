package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

public final class Processes {
    public static final int SIGKILL = 9;

    private static final int RLIMIT_NOFILE = 7;
    private static final long SYS_PIDFD_SEND_SIGNAL = 424; // the same on every architecture
    private static final long SYS_PIDFD_OPEN = 434;

    private static final NativeFunction PRLIMIT = NativeFunction.ofInt("prlimit64");
    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private Processes() {}

    /// Sets the soft and the hard limit of a process on open descriptors.
    ///
    /// @throws SyscallException EPERM without the privilege to raise the hard limit
    public static void limitDescriptors(long pid, long descriptors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocateFrom(JAVA_LONG, descriptors, descriptors);
            MemorySegment errno = Syscall.errnoSegment();
            Syscall.check(
                    "prlimit(RLIMIT_NOFILE, " + descriptors + ")",
                    PRLIMIT.call(errno, pid, RLIMIT_NOFILE, limit.address(), 0));
        }
    }

    /// The hard limit of this process on open descriptors: the most that it can give to others.
    public static long descriptorsMax() {
        return descriptorLimit(1);
    }

    /// @param index 0 for the soft limit, 1 for the hard one
    static long descriptorLimit(int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limits = arena.allocate(JAVA_LONG, 2);
            MemorySegment errno = Syscall.errnoSegment();
            long result = PRLIMIT.call(errno, 0, RLIMIT_NOFILE, 0, limits.address());
            Syscall.check("prlimit(RLIMIT_NOFILE)", result);
            long limit = limits.getAtIndex(JAVA_LONG, index);
            return limit < 0 ? Long.MAX_VALUE : limit; // RLIM_INFINITY has all bits set
        }
    }

    /// Whether `/proc` lists the processes of other users. With the mount option `hidepid` it lists
    /// only those that this user may inspect (`proc(5)`), and process 1 is seldom among them.
    public static boolean othersListed() {
        return Files.exists(Path.of("/proc/1"));
    }

    /// Kills a process if it is still the intended one. The check runs while a pidfd pins the
    /// process, so a reused process id cannot hit another process.
    ///
    /// @return whether the signal was sent
    public static boolean kill(long pid, BooleanSupplier stillMeant) {
        return signal(pid, SIGKILL, stillMeant);
    }

    /// Like [#kill], with any signal.
    public static boolean signal(long pid, int signal, BooleanSupplier stillMeant) {
        MemorySegment errno = Syscall.errnoSegment();
        int pidfd = (int) SYSCALL.call(errno, SYS_PIDFD_OPEN, pid, 0);
        if (pidfd < 0) {
            return false;
        }
        try {
            return stillMeant.getAsBoolean()
                    && SYSCALL.call(errno, SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0) == 0;
        } finally {
            Syscall.closeQuietly(pidfd);
        }
    }
}
