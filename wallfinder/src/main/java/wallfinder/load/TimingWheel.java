package wallfinder.load;

import java.util.Arrays;

/// Wakes connections when they are due, at the same small cost however many there are.
///
/// Two wheels of lists: a bucket of the near one is an eighth of a millisecond, one of the far one
/// a whole turn of the near one (1.07 s). A far bucket is woken at its beginning, and what is due
/// later than a far turn (34 s) is woken before it is due: whoever is woken looks at the time and
/// puts itself back. So no time is kept here, and nothing is ever taken out.
///
/// The lists run through the connections' own links: a connection is in one list at most.
final class TimingWheel {
    /// What is due is woken late by this much at most, while the thread keeps up.
    private static final int TICK_SHIFT = 17;

    private static final int NEAR_SHIFT = 13;
    private static final int NEAR = 1 << NEAR_SHIFT;
    private static final int FAR = 32;
    private static final int END = -1;

    /// The links that the lists run through, one of each connection.
    interface Links {
        /// The link of what is in no list.
        int NOWHERE = -2;

        int link(int slot);

        void link(int slot, int next);
    }

    /// What is woken.
    interface Sleepers {
        void wake(int slot);
    }

    private final Links connections;
    private final int[] near = new int[NEAR];
    private final int[] far = new int[FAR];

    /// A bit for each near bucket with somebody in it.
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

    /// Wakes it then, or before.
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

    /// How long nobody is to be woken: the time to the next bucket with somebody in it, or to the
    /// next far one.
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

    /// Wakes all whose time has come, and with them the few that are due before the next tick: if
    /// something else has ended the wait for it, those that are due already need not wait for it.
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
