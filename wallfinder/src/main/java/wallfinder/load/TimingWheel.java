package wallfinder.load;

import java.util.Arrays;

/// Wakes connections when they are due. The cost does not depend on how many there are.
///
/// There are two wheels of lists. A bucket of the near one is an eighth of a millisecond, a bucket
/// of the far one a whole turn of the near one (1.07 s). A far bucket wakes at its beginning, and
/// what is due after more than a far turn (34 s) wakes too early: the connection then checks the
/// time and enters the wheel again. So the wheel stores no times and never removes an entry.
///
/// The lists use a link in each connection, so a connection is in at most one list.
final class TimingWheel {
    /// The tick is 2^17 ns: as long as the thread keeps up, a connection wakes at most this late.
    private static final int TICK_SHIFT = 17;

    private static final int NEAR_SHIFT = 13;
    private static final int NEAR = 1 << NEAR_SHIFT;
    private static final int FAR = 32;
    private static final int END = -1;

    interface Links {
        /// The link of a connection that is in no list.
        int NOWHERE = -2;

        int link(int slot);

        void link(int slot, int next);
    }

    interface Sleepers {
        void wake(int slot);
    }

    private final Links connections;
    private final int[] near = new int[NEAR];
    private final int[] far = new int[FAR];

    /// A bit for each near bucket that is not empty.
    private final long[] occupied = new long[NEAR / Long.SIZE];

    private final long originNanos;
    private long tick;

    TimingWheel(Links connections, long nowNanos) {
        this.connections = connections;
        this.originNanos = nowNanos;
        Arrays.fill(near, END);
        Arrays.fill(far, END);
    }

    boolean holds(int slot) {
        return connections.link(slot) != Links.NOWHERE;
    }

    /// Wakes the connection at this time or earlier.
    void put(int slot, long dueNanos) {
        if (holds(slot)) {
            throw new IllegalStateException("connection " + slot + " waits already");
        }
        long due = Math.max(tick + 1, ((dueNanos - originNanos) >> TICK_SHIFT) + 1);
        if (due - tick < NEAR) {
            int bucket = (int) due & (NEAR - 1);
            occupied[bucket >> 6] |= 1L << bucket;
            push(near, bucket, slot);
        } else {
            long turns = Math.min((due >> NEAR_SHIFT) - (tick >> NEAR_SHIFT), FAR - 1);
            push(far, (int) ((tick >> NEAR_SHIFT) + turns) & (FAR - 1), slot);
        }
    }

    private void push(int[] lists, int bucket, int slot) {
        connections.link(slot, lists[bucket]);
        lists[bucket] = slot;
    }

    /// The time during which no connection wakes: until the next near bucket that is not empty, or
    /// until the next far bucket.
    long waitNanos(long nowNanos) {
        long next = tick + 1;
        long end = ((tick >> NEAR_SHIFT) + 1) << NEAR_SHIFT;
        while (next < end && (occupied[((int) next >> 6) & (NEAR / 64 - 1)] >>> next) == 0) {
            next = ((next >> 6) + 1) << 6;
        }
        if (next < end) {
            next +=
                    Long.numberOfTrailingZeros(
                            occupied[((int) next >> 6) & (NEAR / 64 - 1)] >>> next);
        }
        return Math.max(0, originNanos + (Math.min(next, end) << TICK_SHIFT) - nowNanos);
    }

    /// Wakes all connections that are due, and those due before the next tick: if an event has
    /// ended the wait early, they need not wait for that tick.
    void turn(long nowNanos, Sleepers sleepers) {
        long now = (nowNanos - originNanos) >> TICK_SHIFT;
        while (tick < now) {
            tick++;
            int bucket = (int) tick & (NEAR - 1);
            if (bucket == 0) {
                wakeAll(far, (int) (tick >> NEAR_SHIFT) & (FAR - 1), sleepers);
            }
            wakeNear(bucket, sleepers);
        }
        wakeNear((int) (tick + 1) & (NEAR - 1), sleepers);
    }

    private void wakeNear(int bucket, Sleepers sleepers) {
        if (near[bucket] != END) {
            occupied[bucket >> 6] &= ~(1L << bucket);
            wakeAll(near, bucket, sleepers);
        }
    }

    private void wakeAll(int[] lists, int bucket, Sleepers sleepers) {
        int slot = lists[bucket];
        lists[bucket] = END;
        while (slot != END) {
            int next = connections.link(slot);
            connections.link(slot, Links.NOWHERE);
            sleepers.wake(slot);
            slot = next;
        }
    }
}
