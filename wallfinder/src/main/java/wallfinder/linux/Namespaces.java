package wallfinder.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Network namespaces, which belong to a thread: `unshare(2)` and `setns(2)` change the calling
/// platform thread only. Never on a virtual thread, whose carrier would be changed for others, and
/// never on a pooled one, which would keep the namespace alive. New threads and processes start in
/// the namespace of the thread that makes them.
public final class Namespaces {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;

    private static final MethodHandle UNSHARE = Syscall.bind("unshare", JAVA_INT, JAVA_INT);
    private static final MethodHandle SETNS = Syscall.bind("setns", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle OPEN = Syscall.bind("open", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle CLOSE = Syscall.bind("close", JAVA_INT, JAVA_INT);

    private Namespaces() {}

    /// Puts the calling thread into a new, empty network namespace of its own.
    ///
    /// @throws SyscallException EPERM where the right to do so is missing
    public static void unshareNetwork() {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("unshare(CLONE_NEWNET)", Syscall.result(unshare(errno), errno));
    }

    /// A descriptor of the calling thread's network namespace, which keeps the namespace alive
    /// until it is closed by [#close].
    public static int openNetwork() {
        onlyPlatformThreads();
        String path = "/proc/thread-self/ns/net";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Syscall.errnoSegment();
            int fd = (int) OPEN.invokeExact(errno, arena.allocateFrom(path), O_RDONLY | O_CLOEXEC);
            return (int) Syscall.check("open " + path, Syscall.result(fd, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Puts the calling thread into the network namespace of a descriptor.
    public static void enterNetwork(int descriptor) {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("setns(CLONE_NEWNET)", Syscall.result(setns(errno, descriptor), errno));
    }

    /// Closes a descriptor made by [#openNetwork].
    public static void close(int descriptor) {
        try {
            MemorySegment errno = Syscall.errnoSegment();
            int result = (int) CLOSE.invokeExact(errno, descriptor);
            Syscall.check("close a namespace", Syscall.result(result, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private static void onlyPlatformThreads() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread has no network namespace of its own");
        }
    }

    private static int unshare(MemorySegment errno) {
        try {
            return (int) UNSHARE.invokeExact(errno, CLONE_NEWNET);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private static int setns(MemorySegment errno, int descriptor) {
        try {
            return (int) SETNS.invokeExact(errno, descriptor, CLONE_NEWNET);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }
}
