package wallfinder.linux;

import java.lang.foreign.MemorySegment;

/// Network namespaces. `unshare(2)` and `setns(2)` change only the calling platform thread. Do not
/// use them on a virtual thread, because its carrier runs other threads, too, nor on a pooled
/// thread, because it keeps the namespace alive. New threads and processes start in the namespace
/// of the thread that starts them.
public final class Namespaces {
    private static final int CLONE_NEWNET = 0x40000000;

    private static final NativeFunction UNSHARE = NativeFunction.ofInt("unshare");
    private static final NativeFunction SETNS = NativeFunction.ofInt("setns");

    private Namespaces() {}

    /// Moves the calling thread to a new, empty network namespace.
    ///
    /// @throws SyscallException EPERM if the privilege is missing
    public static void unshareNetwork() {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("unshare(CLONE_NEWNET)", UNSHARE.call(errno, CLONE_NEWNET));
    }

    /// Opens a descriptor of the calling thread's network namespace. It keeps the namespace alive
    /// until [#close].
    public static int openNetwork() {
        onlyPlatformThreads();
        return Syscall.open("/proc/thread-self/ns/net", Syscall.O_RDONLY);
    }

    /// Opens a descriptor of the network namespace of a process. It keeps the namespace alive after
    /// the process has ended.
    ///
    /// @throws SyscallException EACCES without the privilege to trace a process of another user
    public static int openNetwork(long pid) {
        return Syscall.open("/proc/" + pid + "/ns/net", Syscall.O_RDONLY);
    }

    public static void enterNetwork(int descriptor) {
        onlyPlatformThreads();
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("setns(CLONE_NEWNET)", SETNS.call(errno, descriptor, CLONE_NEWNET));
    }

    public static void close(int descriptor) {
        Syscall.closeQuietly(descriptor);
    }

    private static void onlyPlatformThreads() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot have a network namespace");
        }
    }
}
