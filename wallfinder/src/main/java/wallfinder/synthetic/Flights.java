package wallfinder.synthetic;

import java.util.Arrays;
import wallfinder.linux.Memory;

/// The state of active connections, one CPU cache line each, from a pool: few connections are
/// active at a time. The size of the pool bounds how many may be.
///
/// Each flight has one timer, in a wheel of doubly linked lists, from which it is removed at once
/// when done. A timer may expire early; its owner then checks the time and sets it again.
final class Flights implements AutoCloseable {
    static final int BYTES = 64;

    static final int NONE = -1;

    private static final int SLOT = 0;
    private static final int NEXT = 4;

    /// The previous flight in the list; for the first one, minus two minus its bucket.
    private static final int PREVIOUS = 8;

    private static final int ACKED = 12;
    private static final int SENT = 16;
    private static final int SENT_MAX = 20;
    private static final int RECEIVED = 24;
    private static final int EDGE = 28;
    private static final int CWND = 32;
    private static final int SSTHRESH = 36;
    private static final int RETRIES = 40;
    private static final int LATE = 44;
    private static final int BEGUN = 48;
    private static final int BASE = 56;

    private static final int TICK_SHIFT = 22; // 4.2 ms
    private static final int BUCKETS = 4096; // 17 s
    private static final int FIRST = -2;

    interface Sleepers {
        /// @return when the timer expires next, or [Long#MAX_VALUE] if the flight is gone
        long expired(int flight, long nowNanos);
    }

    private final long memory;
    private final int size;
    private final int[] buckets = new int[BUCKETS];
    private final long originNanos;
    private long tick;
    private int free = NONE;
    private int touched;
    private int used;

    Flights(int size, long nowNanos) {
        this.size = size;
        originNanos = nowNanos;
        memory = Memory.map((long) size * BYTES);
        Arrays.fill(buckets, NONE);
    }

    int used() {
        return used;
    }

    /// A zeroed flight without a timer, or [#NONE].
    int take(int slot, long nowNanos) {
        int flight = free;
        if (flight != NONE) {
            free = next(flight);
        } else if (touched < size) {
            flight = touched++;
        } else {
            return NONE;
        }
        used++;
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            Memory.putLong(at(flight) + at, 0);
        }
        put(flight, SLOT, slot);
        put(flight, PREVIOUS, NONE);
        begunNanos(flight, nowNanos);
        baseNanos(flight, nowNanos);
        return flight;
    }

    void release(int flight) {
        cancel(flight);
        put(flight, NEXT, free);
        free = flight;
        used--;
    }

    void wake(int flight, long atNanos) {
        cancel(flight);
        long due = ((atNanos - originNanos) >> TICK_SHIFT) + 1;
        int bucket = (int) Math.clamp(due, tick + 1, tick + BUCKETS - 1) & BUCKETS - 1;
        int head = buckets[bucket];
        put(flight, NEXT, head);
        put(flight, PREVIOUS, FIRST - bucket);
        if (head != NONE) {
            put(head, PREVIOUS, flight);
        }
        buckets[bucket] = flight;
    }

    private void cancel(int flight) {
        int previous = get(flight, PREVIOUS);
        if (previous == NONE) {
            return;
        }
        int next = next(flight);
        if (previous <= FIRST) {
            buckets[FIRST - previous] = next;
        } else {
            put(previous, NEXT, next);
        }
        if (next != NONE) {
            put(next, PREVIOUS, previous);
        }
        put(flight, PREVIOUS, NONE);
    }

    /// Expires all timers that are due.
    void turn(long nowNanos, Sleepers sleepers) {
        long now = (nowNanos - originNanos) >> TICK_SHIFT;
        while (tick < now) {
            tick++;
            int bucket = (int) tick & BUCKETS - 1;
            while (buckets[bucket] != NONE) {
                int flight = buckets[bucket];
                cancel(flight);
                long again = sleepers.expired(flight, nowNanos);
                if (again != Long.MAX_VALUE) {
                    wake(flight, again);
                }
            }
        }
    }

    /// The time during which no timer expires.
    long waitNanos(long nowNanos) {
        if (used == 0) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, originNanos + ((tick + 1) << TICK_SHIFT) - nowNanos);
    }

    private long at(int flight) {
        return memory + (long) flight * BYTES;
    }

    private int get(int flight, int field) {
        return Memory.getInt(at(flight) + field);
    }

    private void put(int flight, int field, int value) {
        Memory.putInt(at(flight) + field, value);
    }

    int slot(int flight) {
        return get(flight, SLOT);
    }

    private int next(int flight) {
        return get(flight, NEXT);
    }

    /// Bytes of the message that the peer has acknowledged.
    int acked(int flight) {
        return get(flight, ACKED);
    }

    void acked(int flight, int bytes) {
        put(flight, ACKED, bytes);
    }

    /// Bytes sent since the last time-out.
    int sent(int flight) {
        return get(flight, SENT);
    }

    /// Also notes the most that was ever sent.
    void sent(int flight, int bytes) {
        put(flight, SENT, bytes);
        put(flight, SENT_MAX, Math.max(bytes, sentMax(flight)));
    }

    int sentMax(int flight) {
        return get(flight, SENT_MAX);
    }

    /// Bytes of the answer that have arrived.
    int received(int flight) {
        return get(flight, RECEIVED);
    }

    void received(int flight, int bytes) {
        put(flight, RECEIVED, bytes);
    }

    /// The right edge of the peer's window, from the beginning of the message.
    int edge(int flight) {
        return get(flight, EDGE);
    }

    void edge(int flight, int bytes) {
        put(flight, EDGE, bytes);
    }

    int cwnd(int flight) {
        return get(flight, CWND);
    }

    void cwnd(int flight, int bytes) {
        put(flight, CWND, bytes);
    }

    int ssthresh(int flight) {
        return get(flight, SSTHRESH);
    }

    void ssthresh(int flight, int bytes) {
        put(flight, SSTHRESH, bytes);
    }

    /// How often the timer has caused a retransmission.
    int retries(int flight) {
        return get(flight, RETRIES);
    }

    void retries(int flight, int count) {
        put(flight, RETRIES, count);
    }

    /// How many microseconds after its due time the message was sent.
    int lateMicros(int flight) {
        return get(flight, LATE);
    }

    void lateMicros(int flight, int micros) {
        put(flight, LATE, micros);
    }

    long begunNanos(int flight) {
        return Memory.getLong(at(flight) + BEGUN);
    }

    void begunNanos(int flight, long nanos) {
        Memory.putLong(at(flight) + BEGUN, nanos);
    }

    /// The last time that the peer made progress, or that something was sent again: the
    /// retransmission timer counts from it.
    long baseNanos(int flight) {
        return Memory.getLong(at(flight) + BASE);
    }

    void baseNanos(int flight, long nanos) {
        Memory.putLong(at(flight) + BASE, nanos);
    }

    @Override
    public void close() {
        Memory.unmap(memory, (long) size * BYTES);
    }
}
