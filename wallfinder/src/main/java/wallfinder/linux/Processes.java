package wallfinder.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/// What is done to other processes: their limits, their CPUs, their end.
public final class Processes {
    public static final int SIGKILL = 9;

    private static final int RLIMIT_NOFILE = 7;
    private static final long SYS_PIDFD_SEND_SIGNAL = 424; // the same on every architecture
    private static final long SYS_PIDFD_OPEN = 434;

    private static final MethodHandle GETTID = Syscall.bind("gettid", JAVA_INT);
    private static final MethodHandle CLOSE = Syscall.bind("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle PRLIMIT =
            Syscall.bind("prlimit64", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SET_AFFINITY =
            Syscall.bind("sched_setaffinity", JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle PIDFD_OPEN = Syscall.bindRaw(JAVA_INT, JAVA_INT);
    private static final MethodHandle PIDFD_SEND_SIGNAL =
            Syscall.bindRaw(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);

    private Processes() {}

    /// The kernel's number of the calling thread.
    public static int gettid() {
        try {
            return (int) GETTID.invokeExact(Syscall.errnoSegment());
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Sets the soft and the hard limit of a process on open descriptors.
    ///
    /// @throws SyscallException EPERM where the limit is above the hard one and the right to raise
    ///   that is missing
    public static void limitDescriptors(long pid, long descriptors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocateFrom(JAVA_LONG, descriptors, descriptors);
            MemorySegment errno = Syscall.errnoSegment();
            int result =
                    (int)
                            PRLIMIT.invokeExact(
                                    errno, (int) pid, RLIMIT_NOFILE, limit, MemorySegment.NULL);
            Syscall.check(
                    "prlimit(RLIMIT_NOFILE, " + descriptors + ")", Syscall.result(result, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// The hard limit of this process on open descriptors: what it can give to others.
    public static long descriptorsMax() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(JAVA_LONG, 2);
            MemorySegment errno = Syscall.errnoSegment();
            int result =
                    (int) PRLIMIT.invokeExact(errno, 0, RLIMIT_NOFILE, MemorySegment.NULL, limit);
            Syscall.check("prlimit(RLIMIT_NOFILE)", Syscall.result(result, errno));
            long hard = limit.getAtIndex(JAVA_LONG, 1);
            return hard < 0 ? Long.MAX_VALUE : hard; // RLIM_INFINITY has all bits set
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Binds the one thread of a young process to some CPUs; the threads it makes later inherit
    /// them.
    public static void bindToCpus(long pid, BitSet cpus) {
        try (Arena arena = Arena.ofConfined()) {
            long[] words = cpus.toLongArray();
            MemorySegment mask = arena.allocateFrom(JAVA_LONG, words);
            MemorySegment errno = Syscall.errnoSegment();
            int result = (int) SET_AFFINITY.invokeExact(errno, (int) pid, mask.byteSize(), mask);
            Syscall.check("sched_setaffinity(" + cpus + ")", Syscall.result(result, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Kills a process if it still is the one that is meant: the check is made after the process
    /// has been pinned by a descriptor, so that a number used again cannot hit another process.
    ///
    /// @return whether the signal was sent
    public static boolean kill(long pid, BooleanSupplier stillMeant) {
        OptionalInt pidfd = open(pid);
        if (pidfd.isEmpty()) {
            return false;
        }
        try {
            return stillMeant.getAsBoolean() && signal(pidfd.getAsInt(), SIGKILL);
        } finally {
            close(pidfd.getAsInt());
        }
    }

    private static OptionalInt open(long pid) {
        try {
            MemorySegment errno = Syscall.errnoSegment();
            long fd = (long) PIDFD_OPEN.invokeExact(errno, SYS_PIDFD_OPEN, (int) pid, 0);
            return Syscall.result(fd, errno) < 0 ? OptionalInt.empty() : OptionalInt.of((int) fd);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private static boolean signal(int pidfd, int signal) {
        try {
            MemorySegment errno = Syscall.errnoSegment();
            long result =
                    (long)
                            PIDFD_SEND_SIGNAL.invokeExact(
                                    errno,
                                    SYS_PIDFD_SEND_SIGNAL,
                                    pidfd,
                                    signal,
                                    MemorySegment.NULL,
                                    0);
            return result == 0;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private static void close(int descriptor) {
        try {
            int result = (int) CLOSE.invokeExact(Syscall.errnoSegment(), descriptor);
            assert result == 0;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }
}
