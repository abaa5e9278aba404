package wallfinder.synthetic;

import org.jspecify.annotations.Nullable;
import wallfinder.linux.Memory;

/// All connections, outside the heap: 16 bytes each and no object. The bytes that they send and
/// receive are computed, so a resting connection only needs its peer's first sequence number, its
/// count of messages, the time when the next message is due, and a link for a list. An active
/// connection has more state in [Flights].
///
/// ```
/// unopened -> syn-sent -> resting <-> asking
///                 |          |          |
///                 |          +- fin-wait-1, fin-wait-2, closing, last-ack -> time-wait
///                 +----------+----------+-> closed
/// ```
@SuppressWarnings("EnumOrdinal") // a number in memory that lives no longer than the process
public final class Peers implements AutoCloseable {
    /// The memory of a connection at rest.
    public static final int BYTES = 16;

    /// The link of a connection that is in no list.
    public static final int NOWHERE = -2;

    static final int UNOPENED = 0;
    static final int SYN_SENT = 1;

    /// Both ends opened at the same time, which a server never does.
    static final int SYN_RECEIVED = 2;

    /// Connected; all bytes sent are acknowledged, and all answers have arrived.
    static final int RESTING = 3;

    /// The same, but the peer's window is too small, see [Messages].
    static final int NARROW = 4;

    /// Connected; a message is being exchanged.
    static final int ASKING = 5;

    /// We have closed.
    static final int FIN_WAIT_1 = 6;

    static final int FIN_WAIT_2 = 7;
    static final int CLOSING = 8;
    static final int TIME_WAIT = 9;

    /// The peer has closed, and so have we.
    static final int LAST_ACK = 10;

    static final int CLOSED = 11;

    private static final int WITH_FLIGHT =
            1 << SYN_SENT
                    | 1 << SYN_RECEIVED
                    | 1 << ASKING
                    | 1 << FIN_WAIT_1
                    | 1 << FIN_WAIT_2
                    | 1 << CLOSING
                    | 1 << LAST_ACK;
    private static final int CONNECTED = 1 << RESTING | 1 << NARROW | 1 << ASKING;

    private static final Ending[] ENDINGS = Ending.values();

    private static final int IRS = 0;
    private static final int PROGRESS = 4;
    private static final int TIME = 8;

    /// A link (24 bits, signed), how often the connection was reopened (4), a state (4).
    private static final int LINK = 12;

    private static final int LINK_SHIFT = 8;
    private static final int LIFE_SHIFT = 4;
    private static final int NIBBLE = 0xF;

    /// The largest slot that a link can contain.
    public static final int SIZE_MAX = (1 << 23) - 1;

    private final long memory;
    private final int size;

    public Peers(int size) {
        if (size < 1 || size > SIZE_MAX) {
            throw new IllegalArgumentException("not a number of connections: " + size);
        }
        this.size = size;
        memory = Memory.map((long) size * BYTES);
        for (int slot = 0; slot < size; slot++) {
            link(slot, NOWHERE);
        }
    }

    public int size() {
        return size;
    }

    private long at(int slot) {
        return memory + (long) slot * BYTES;
    }

    int state(int slot) {
        return Memory.getInt(at(slot) + LINK) & NIBBLE;
    }

    void state(int slot, int state) {
        int rest = Memory.getInt(at(slot) + LINK) & ~NIBBLE;
        Memory.putInt(at(slot) + LINK, rest | state);
    }

    public boolean connecting(int slot) {
        int state = state(slot);
        return state == SYN_SENT || state == SYN_RECEIVED;
    }

    /// Whether the connection is established and neither end has closed.
    public boolean connected(int slot) {
        return (CONNECTED >>> state(slot) & 1) != 0;
    }

    /// Whether the connection is established and idle.
    public boolean resting(int slot) {
        int state = state(slot);
        return state == RESTING || state == NARROW;
    }

    boolean hasFlight(int slot) {
        return (WITH_FLIGHT >>> state(slot) & 1) != 0;
    }

    /// Whether there is no connection.
    public boolean gone(int slot) {
        int state = state(slot);
        return state == CLOSED || state == TIME_WAIT || state == UNOPENED;
    }

    /// How often the connection was opened before, modulo 16.
    public int life(int slot) {
        return Memory.getInt(at(slot) + LINK) >>> LIFE_SHIFT & NIBBLE;
    }

    void nextLife(int slot) {
        int life = life(slot) + 1 & NIBBLE;
        int rest = Memory.getInt(at(slot) + LINK) & ~(NIBBLE << LIFE_SHIFT);
        Memory.putInt(at(slot) + LINK, rest | life << LIFE_SHIFT);
        progress(slot, 0);
    }

    /// Stores why the connection ended, in place of the peer's first sequence number.
    void closed(int slot, @Nullable Ending why) {
        state(slot, CLOSED);
        irs(slot, why == null ? 0 : 1 + why.ordinal());
    }

    /// Why the connection ended. Null if it has not ended, or was closed from here.
    public @Nullable Ending ending(int slot) {
        return switch (state(slot)) {
            case LAST_ACK -> Ending.CLOSED;
            case CLOSED -> irs(slot) == 0 ? null : ENDINGS[irs(slot) - 1];
            default -> null;
        };
    }

    /// The next connection in a list of the owner.
    public int link(int slot) {
        return Memory.getInt(at(slot) + LINK) >> LINK_SHIFT;
    }

    public void link(int slot, int next) {
        int rest = Memory.getInt(at(slot) + LINK) & (1 << LINK_SHIFT) - 1;
        Memory.putInt(at(slot) + LINK, next << LINK_SHIFT | rest);
    }

    /// The first sequence number of the peer.
    int irs(int slot) {
        return Memory.getInt(at(slot) + IRS);
    }

    void irs(int slot, int number) {
        Memory.putInt(at(slot) + IRS, number);
    }

    /// How many messages have been answered; if none are sent, how many bytes have arrived.
    public int progress(int slot) {
        return Memory.getInt(at(slot) + PROGRESS);
    }

    void progress(int slot, int count) {
        Memory.putInt(at(slot) + PROGRESS, count);
    }

    /// A value of the owner for a resting connection, such as when its next message is due.
    public int note(int slot) {
        return Memory.getInt(at(slot) + TIME);
    }

    public void note(int slot, int value) {
        Memory.putInt(at(slot) + TIME, value);
    }

    /// The flight of an active connection.
    int flight(int slot) {
        return Memory.getInt(at(slot) + TIME);
    }

    void flight(int slot, int flight) {
        Memory.putInt(at(slot) + TIME, flight);
    }

    @Override
    public void close() {
        Memory.unmap(memory, (long) size * BYTES);
    }
}
