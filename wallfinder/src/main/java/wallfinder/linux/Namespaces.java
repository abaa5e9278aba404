package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Network namespaces, which belong to a thread: `unshare(2)` and `setns(2)` change the calling
/// platform thread only. Never on a virtual thread, whose carrier would be changed for others, and
/// never on a pooled one, which would keep the namespace alive. New threads and processes start in
/// the namespace of the thread that makes them.
public final class Namespaces {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;

    private static final NativeFunction UNSHARE = NativeFunction.ofInt("unshare");
    private static final NativeFunction SETNS = NativeFunction.ofInt("setns");
    private static final NativeFunction OPEN = NativeFunction.ofInt("open");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");

    private Namespaces() {}

    /// Puts the calling thread into a new, empty network namespace of its own.
    ///
    /// @throws SyscallException EPERM where the right to do so is missing
    public static void unshareNetwork() {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("unshare(CLONE_NEWNET)", UNSHARE.call(errno, CLONE_NEWNET));
    }

    /// A descriptor of the calling thread's network namespace, which keeps the namespace alive
    /// until it is closed by [#close].
    public static int openNetwork() {
        onlyPlatformThreads();
        return open("/proc/thread-self/ns/net");
    }

    /// A descriptor of the network namespace of a process, which outlives the process.
    ///
    /// @throws SyscallException EACCES for a process of another user without the right to trace it
    public static int openNetwork(long pid) {
        return open("/proc/" + pid + "/ns/net");
    }

    private static int open(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Syscall.errnoSegment();
            long fd = OPEN.call(errno, arena.allocateFrom(path).address(), O_RDONLY | O_CLOEXEC);
            return (int) Syscall.check("open " + path, fd);
        }
    }

    /// Puts the calling thread into the network namespace of a descriptor.
    public static void enterNetwork(int descriptor) {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("setns(CLONE_NEWNET)", SETNS.call(errno, descriptor, CLONE_NEWNET));
    }

    /// Closes a descriptor made by [#openNetwork].
    public static void close(int descriptor) {
        Syscall.check("close a namespace", CLOSE.call(Syscall.errnoSegment(), descriptor));
    }

    private static void onlyPlatformThreads() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread has no network namespace of its own");
        }
    }
}
