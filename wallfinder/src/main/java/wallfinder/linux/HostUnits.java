package wallfinder.linux;

import java.lang.foreign.MemorySegment;

/// The units in which `/proc` counts (`sysconf(3)`).
public final class HostUnits {
    private static final int SC_CLK_TCK = 2;
    private static final int SC_PAGESIZE = 30;

    /// On x86-64, some system call numbers and one layout differ from those of other architectures.
    public static final boolean X86 =
            "amd64".equals(System.getProperty("os.arch"))
                    || "x86_64".equals(System.getProperty("os.arch"));

    /// The size of a memory page: `/proc/PID/stat` counts resident memory in pages.
    public static final long PAGE_BYTES = sysconf(SC_PAGESIZE);

    /// `/proc/stat` and `/proc/PID/stat` count CPU time in ticks.
    public static final long TICKS_PER_SECOND = sysconf(SC_CLK_TCK);

    private HostUnits() {}

    private static long sysconf(int name) {
        MemorySegment errno = Syscall.errnoSegment();
        return Syscall.check(
                "sysconf(" + name + ")", NativeFunction.ofLong("sysconf").call(errno, name));
    }
}
