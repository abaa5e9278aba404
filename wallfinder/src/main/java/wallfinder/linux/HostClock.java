package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.OptionalLong;

/// The wall clock of this host, and how far it may be from true time. Only reads (`adjtimex(2)`).
public final class HostClock {
    /// The offsets of `maxerror` and `status` in `struct timex` on 64 bits, and its size.
    private static final long MAX_ERROR = 24;

    private static final long STATUS = 40;
    private static final long TIMEX_BYTES = 208;

    private static final int STA_UNSYNC = 0x0040;
    private static final NativeFunction ADJTIMEX = NativeFunction.ofInt("adjtimex");

    private HostClock() {}

    /// Nanoseconds since 1970.
    public static long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    /// The most that the clock may be wrong, in nanoseconds; empty if nothing synchronizes the
    /// clock, or if the kernel does not answer.
    public static OptionalLong errorNanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timex = arena.allocate(TIMEX_BYTES, 8);
            long state = ADJTIMEX.call(Syscall.errnoSegment(), timex.address());
            boolean synced = state >= 0 && (timex.get(JAVA_INT, STATUS) & STA_UNSYNC) == 0;
            return synced
                    ? OptionalLong.of(timex.get(JAVA_LONG, MAX_ERROR) * 1_000L)
                    : OptionalLong.empty();
        }
    }
}
