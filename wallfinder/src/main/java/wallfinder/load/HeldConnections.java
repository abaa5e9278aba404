package wallfinder.load;

import org.jspecify.annotations.Nullable;
import wallfinder.linux.Memory;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome.Hold;

/// The connections of one thread, outside the heap: 32 bytes each, half a cache line, and no
/// object.
///
/// ```
/// unopened -> connecting -> first -> resting <-> asking
///                  |          |         |          |
///                  +----------+--- ended: why -----+   (and perhaps connecting again)
/// ```
@SuppressWarnings("EnumOrdinal") // a number in memory that lives no longer than the process
final class HeldConnections implements TimingWheel.Links, AutoCloseable {
    /// The user-space memory of a connection.
    static final int BYTES = 32;

    static final int UNOPENED = 0;
    static final int CONNECTING = 1;

    /// Connected; the first message is being exchanged.
    static final int FIRST = 2;

    /// Connected; a later message is being exchanged.
    static final int ASKING = 3;

    /// Connected; no message is being exchanged.
    static final int RESTING = 4;

    /// This and above: the connection has ended. The ordinal of the [ErrorKind] is added.
    private static final int ENDED = 5;

    /// The descriptor of a connection that could not be opened.
    static final int NO_FD = (1 << 24) - 1;

    /// A descriptor (24 bits) and a state.
    private static final int FD = 0;

    private static final int LINK = 4;
    private static final int SEQUENCE = 8;
    private static final int RECEIVED = 12;
    private static final int SENT = 16;
    private static final int LATE = 20;
    private static final int SINCE = 24;

    private static final int STATE_SHIFT = 24;
    private static final ErrorKind[] KINDS = ErrorKind.values();

    private final long memory;
    private final int size;

    HeldConnections(int size) {
        this.size = size;
        memory = Memory.map((long) size * BYTES);
        for (int slot = 0; slot < size; slot++) {
            link(slot, NOWHERE);
        }
    }

    int size() {
        return size;
    }

    private long at(int slot) {
        return memory + (long) slot * BYTES;
    }

    int state(int slot) {
        return Memory.getInt(at(slot) + FD) >>> STATE_SHIFT;
    }

    void state(int slot, int state) {
        Memory.putInt(at(slot) + FD, fd(slot) | (state << STATE_SHIFT));
    }

    int fd(int slot) {
        return Memory.getInt(at(slot) + FD) & NO_FD;
    }

    /// The connection has a descriptor and connects.
    void opened(int slot, int fd) {
        if (fd > NO_FD) {
            throw new IllegalStateException("descriptor " + fd + " does not fit");
        }
        Memory.putInt(at(slot) + FD, fd | (CONNECTING << STATE_SHIFT));
    }

    /// The connection has lost its descriptor.
    void ended(int slot, ErrorKind why) {
        Memory.putInt(at(slot) + FD, NO_FD | ((ENDED + why.ordinal()) << STATE_SHIFT));
    }

    @Nullable ErrorKind why(int slot) {
        int state = state(slot);
        return state < ENDED ? null : KINDS[state - ENDED];
    }

    /// Whether the connection has a descriptor.
    boolean open(int slot) {
        int state = state(slot);
        return state != UNOPENED && state < ENDED;
    }

    /// Whether the connection is established.
    boolean alive(int slot) {
        return open(slot) && state(slot) != CONNECTING;
    }

    /// What became of the connection, in a word.
    String fate(int slot) {
        ErrorKind why = why(slot);
        if (why != null) {
            return why.word();
        }
        return alive(slot) ? Hold.ALIVE : open(slot) ? Hold.CONNECTING : Hold.UNOPENED;
    }

    /// Whether a message is being exchanged.
    boolean asking(int slot) {
        int state = state(slot);
        return state == FIRST || state == ASKING;
    }

    /// The next connection in a list, see [TimingWheel].
    @Override
    public int link(int slot) {
        return Memory.getInt(at(slot) + LINK);
    }

    @Override
    public void link(int slot, int next) {
        Memory.putInt(at(slot) + LINK, next);
    }

    /// The number of the current message.
    int sequence(int slot) {
        return Memory.getInt(at(slot) + SEQUENCE);
    }

    void sequence(int slot, int number) {
        Memory.putInt(at(slot) + SEQUENCE, number);
    }

    /// Bytes of the answer that have arrived.
    int received(int slot) {
        return Memory.getInt(at(slot) + RECEIVED);
    }

    void received(int slot, int bytes) {
        Memory.putInt(at(slot) + RECEIVED, bytes);
    }

    /// Bytes of the message that have been sent.
    int sent(int slot) {
        return Memory.getInt(at(slot) + SENT);
    }

    void sent(int slot, int bytes) {
        Memory.putInt(at(slot) + SENT, bytes);
    }

    /// How many microseconds after its due time the message was sent.
    int lateMicros(int slot) {
        return Memory.getInt(at(slot) + LATE);
    }

    void lateMicros(int slot, int micros) {
        Memory.putInt(at(slot) + LATE, micros);
    }

    /// When the state began; while resting, when the next message is due.
    long sinceNanos(int slot) {
        return Memory.getLong(at(slot) + SINCE);
    }

    void sinceNanos(int slot, long nanos) {
        Memory.putLong(at(slot) + SINCE, nanos);
    }

    @Override
    public void close() {
        Memory.unmap(memory, (long) size * BYTES);
    }
}
