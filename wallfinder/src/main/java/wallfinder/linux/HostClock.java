package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.OptionalLong;

/// The wall clock of this host, and how far it may be from true time (`adjtimex(2)`, which is only
/// read).
public final class HostClock {
    /// `struct timex` on 64 bits: the offsets of `maxerror` and `status`, and its size.
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

    /// The bound of its error in nanoseconds; empty if nobody keeps the clock, or if the kernel
    /// does not tell.
    public static OptionalLong errorNanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timex = arena.allocate(TIMEX_BYTES, 8);
            long state = ADJTIMEX.call(Syscall.errnoSegment(), timex.address());
            boolean kept = state >= 0 && (timex.get(JAVA_INT, STATUS) & STA_UNSYNC) == 0;
            return kept
                    ? OptionalLong.of(timex.get(JAVA_LONG, MAX_ERROR) * 1_000L)
                    : OptionalLong.empty();
        }
    }
}
