package wallfinder.load;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;
import wallfinder.linux.Memory;

/// The state of one slot of [TlsEngine]. Made once per slot; [TlsRecords] has the library's part of
/// each connection.
///
/// ```
///  CLOSED --connect--> CONNECTING ----> HANDSHAKING --done--> OPEN --close_notify--> ENDED
///    ^                                                                                 |
///    +--------------------------- disconnect, from anywhere ---------------------------+
/// ```
final class TlsConnection {
    enum State {
        CLOSED,
        CONNECTING,
        HANDSHAKING,
        OPEN,
        ENDED
    }

    private static final int PAGE_BYTES = 4096;

    final int slot;

    State state = State.CLOSED;

    /// Distinguishes successive connections of the slot.
    int generation;

    /// The kernel is taking some bytes; the engine reports when it has taken them all.
    boolean sending;

    /// Bytes wait until the caller has finished.
    boolean holding;

    /// The rest of the request.
    long requestAddress;

    int requestLength;

    /// No part of the request has been sent yet.
    boolean requestWhole;

    /// The request is only a part, and its sender waits for [Events#partSent].
    boolean part;

    long connectNanos;
    long connectedNanos;

    /// An answer has begun on this connection.
    boolean answered;

    /// Records in native memory, which stay until they are sent.
    long address;

    int filled;
    private int capacity;

    /// The beginning of a record whose end has not arrived.
    private byte[] rest = {};

    int restLength;

    TlsConnection(int slot) {
        this.slot = slot;
    }

    void open() {
        state = State.CONNECTING;
        filled = 0;
        restLength = 0;
        requestLength = 0;
        sending = false;
        holding = false;
        answered = false;
    }

    void close() {
        rest = new byte[0];
        restLength = 0;
        state = State.CLOSED;
        generation++;
    }

    void request(long from, int length, boolean isPart) {
        part = isPart;
        requestAddress = from;
        requestLength = length;
        requestWhole = length > 0;
    }

    /// The next part of the request was encrypted.
    void requestTaken(int bytes) {
        requestAddress += bytes;
        requestLength -= bytes;
    }

    /// Adds a record to the bytes to send. No earlier ones are being sent.
    void append(byte[] record, int more) {
        Memory.putBytes(room(more), record, more);
        filled += more;
    }

    /// The address behind the bytes to send, with room for more.
    long room(int more) {
        if (filled + more > capacity) {
            grow(filled + more);
        }
        return address + filled;
    }

    private void grow(int bytes) {
        int larger = (Math.max(bytes, 2 * capacity) + PAGE_BYTES - 1) & -PAGE_BYTES;
        long fresh = Memory.map(larger);
        if (capacity > 0) {
            Memory.copy(address, fresh, filled);
            Memory.unmap(address, capacity);
        }
        address = fresh;
        capacity = larger;
    }

    /// The length of the records, which are being sent. The next records overwrite them.
    int taken() {
        int length = filled;
        filled = 0;
        return length;
    }

    void takeRest(ByteBuffer to) {
        to.put(rest, 0, restLength);
        restLength = 0;
    }

    void keepRest(ByteBuffer from, int bytesMax) throws SSLException {
        int length = from.remaining();
        if (length > bytesMax) {
            throw new SSLException("a record of more than " + bytesMax + " bytes");
        }
        if (length > rest.length) {
            rest = new byte[Math.min(bytesMax, Math.max(length, 2 * rest.length))];
        }
        from.get(rest, 0, length);
        restLength = length;
    }

    void free() {
        if (capacity > 0) {
            Memory.unmap(address, capacity);
            capacity = 0;
        }
    }
}
