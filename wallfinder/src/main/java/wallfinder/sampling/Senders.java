package wallfinder.sampling;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Sending;

/// The connections to one port, from one walk over the kernel's table to the next. The kernel's
/// times begin with each connection, so this class adds up by how much they grew.
final class Senders {
    static final int ROUND_TRIP = 0;
    static final int ROUND_TRIP_MIN = 1;
    static final int WINDOW = 2;
    static final int WINDOW_MAX = 3;
    static final int BUFFER = 4;
    private static final int LEVELS = 5;

    /// The figures of this many connections are those of all; more would only cost memory.
    private static final int CONNECTIONS_MAX = 4096;

    private Map<Long, Seen> before = new HashMap<>();
    private Map<Long, Seen> now = new HashMap<>();
    private final double[] levels = new double[LEVELS];
    private int limited;
    private boolean first = true;
    private long busyMicros;
    private long windowMicros;
    private long bufferMicros;

    private record Seen(Sending sending, long windowMax) {}

    /// Begins a walk, or repeats it.
    void begin() {
        now.clear();
    }

    void add(long cookie, Sending sending) {
        if (now.size() < CONNECTIONS_MAX) {
            Seen earlier = before.get(cookie);
            long most = earlier == null ? 0 : earlier.windowMax;
            now.put(cookie, new Seen(sending, Math.max(most, sending.windowBytes())));
        }
    }

    /// Ends a walk. A connection is new if the walk before has not seen it; then all its time lies
    /// between the two walks. The first walk only begins the counting.
    void end() {
        limited = 0;
        Arrays.fill(levels, 0);
        now.forEach((cookie, seen) -> count(seen, before.get(cookie)));
        first = false;
        Map<Long, Seen> old = before;
        before = now;
        now = old;
    }

    private void count(Seen seen, @Nullable Seen earlier) {
        Sending sending = seen.sending;
        Sending past = earlier == null ? null : earlier.sending;
        long window =
                sending.windowLimitedMicros() - (past == null ? 0 : past.windowLimitedMicros());
        long buffer =
                sending.bufferLimitedMicros() - (past == null ? 0 : past.bufferLimitedMicros());
        if (first) {
            return;
        }
        busyMicros += Math.max(0, sending.busyMicros() - (past == null ? 0 : past.busyMicros()));
        windowMicros += Math.max(0, window);
        bufferMicros += Math.max(0, buffer);
        if (window > 0 || buffer > 0) {
            limited++;
            levels[ROUND_TRIP] += sending.roundTripMicros();
            levels[ROUND_TRIP_MIN] += sending.roundTripMicrosMin();
            levels[WINDOW] += sending.windowBytes();
            levels[WINDOW_MAX] += seen.windowMax;
            levels[BUFFER] += sending.sendBufferBytes();
        }
    }

    long busyMicros() {
        return busyMicros;
    }

    long windowLimitedMicros() {
        return windowMicros;
    }

    long bufferLimitedMicros() {
        return bufferMicros;
    }

    /// The mean over the connections that were limited between the last two walks; `NaN` without
    /// any.
    double mean(int level) {
        return limited == 0 ? Double.NaN : levels[level] / limited;
    }
}
