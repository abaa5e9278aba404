package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/// What is done to other processes: their limits, their CPUs, their end.
public final class Processes {
    public static final int SIGKILL = 9;

    private static final int RLIMIT_NOFILE = 7;
    private static final long SYS_PIDFD_SEND_SIGNAL = 424; // the same on every architecture
    private static final long SYS_PIDFD_OPEN = 434;

    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");
    private static final NativeFunction PRLIMIT = NativeFunction.ofInt("prlimit64");
    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private Processes() {}

    /// Sets the soft and the hard limit of a process on open descriptors.
    ///
    /// @throws SyscallException EPERM where the limit is above the hard one and the right to raise
    ///   that is missing
    public static void limitDescriptors(long pid, long descriptors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocateFrom(JAVA_LONG, descriptors, descriptors);
            MemorySegment errno = Syscall.errnoSegment();
            Syscall.check(
                    "prlimit(RLIMIT_NOFILE, " + descriptors + ")",
                    PRLIMIT.call(errno, pid, RLIMIT_NOFILE, limit.address(), 0));
        }
    }

    /// The hard limit of this process on open descriptors: what it can give to others.
    public static long descriptorsMax() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(JAVA_LONG, 2);
            MemorySegment errno = Syscall.errnoSegment();
            Syscall.check(
                    "prlimit(RLIMIT_NOFILE)",
                    PRLIMIT.call(errno, 0, RLIMIT_NOFILE, 0, limit.address()));
            long hard = limit.getAtIndex(JAVA_LONG, 1);
            return hard < 0 ? Long.MAX_VALUE : hard; // RLIM_INFINITY has all bits set
        }
    }

    /// Kills a process if it still is the one that is meant: the check is made after the process
    /// has been pinned by a descriptor, so that a number used again cannot hit another process.
    ///
    /// @return whether the signal was sent
    public static boolean kill(long pid, BooleanSupplier stillMeant) {
        return signal(pid, SIGKILL, stillMeant);
    }

    /// The same with any signal.
    public static boolean signal(long pid, int signal, BooleanSupplier stillMeant) {
        OptionalInt pidfd = open(pid);
        if (pidfd.isEmpty()) {
            return false;
        }
        try {
            return stillMeant.getAsBoolean() && signal(pidfd.getAsInt(), signal);
        } finally {
            close(pidfd.getAsInt());
        }
    }

    private static OptionalInt open(long pid) {
        long fd = SYSCALL.call(Syscall.errnoSegment(), SYS_PIDFD_OPEN, pid, 0);
        return fd < 0 ? OptionalInt.empty() : OptionalInt.of((int) fd);
    }

    private static boolean signal(int pidfd, int signal) {
        MemorySegment errno = Syscall.errnoSegment();
        return SYSCALL.call(errno, SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0) == 0;
    }

    private static void close(int descriptor) {
        long result = CLOSE.call(Syscall.errnoSegment(), descriptor);
        assert result == 0;
    }
}
