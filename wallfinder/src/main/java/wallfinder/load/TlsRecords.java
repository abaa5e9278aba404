package wallfinder.load;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;

/// Encrypts and decrypts records for the connections of one thread. It works in arrays, for which
/// the ciphers of the JDK are optimized.
///
/// If bytes make the JDK throw an unexpected exception, only their connection ends.
final class TlsRecords {
    /// The longest record of either version with its header (RFC 5246, section 6.2.3).
    static final int RECORD_BYTES_MAX = 5 + (1 << 14) + 2048;

    /// How much of a request is encrypted at once. The rest waits until that is sent.
    private static final int CHUNK_BYTES = 64 * 1024;

    private static final int CLEAR_BYTES = 1 << 14;

    /// The most that a server may send while our part of the handshake is being sent.
    private static final int HELD_BYTES_MAX = 1 << 18;

    private static final int PLAIN_BYTES = 4 * RECORD_BYTES_MAX;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ByteBuffer clear = ByteBuffer.allocate(CLEAR_BYTES);
    private final ByteBuffer record = ByteBuffer.allocate(2 * RECORD_BYTES_MAX);

    final long plainAddress = Memory.map(PLAIN_BYTES);

    private final ByteBuffer plain = Memory.buffer(plainAddress, PLAIN_BYTES);
    private ByteBuffer received = ByteBuffer.allocate(2 * CHUNK_BYTES);

    /// Forgets the decrypted bytes.
    ///
    /// @return how many there were
    int takePlain() {
        int length = plain.position();
        plain.clear();
        return length;
    }

    boolean plainIsFull() {
        return plain.remaining() < RECORD_BYTES_MAX;
    }

    /// Appends received bytes to those kept earlier.
    void gather(TlsConnection connection, long address, int length) {
        int all = connection.restLength + length;
        if (all > received.capacity()) {
            received = ByteBuffer.allocate(2 * all);
        }
        received.clear();
        connection.takeRest(received);
        Memory.getBytes(address, received.array(), received.position(), length);
        received.position(0).limit(all);
        plain.clear();
    }

    boolean anyReceived() {
        return received.hasRemaining();
    }

    void hold(TlsConnection connection) throws SSLException {
        connection.keepRest(received, HELD_BYTES_MAX);
    }

    void keepRest(TlsConnection connection) throws SSLException {
        connection.keepRest(received, RECORD_BYTES_MAX);
    }

    /// Encrypts the rest of a request, at most one chunk.
    void fill(TlsConnection connection) throws SSLException {
        while (connection.requestLength > 0 && connection.filled < CHUNK_BYTES) {
            int length = Math.min(connection.requestLength, CLEAR_BYTES);
            clear.clear();
            Memory.getBytes(connection.requestAddress, clear.array(), 0, length);
            clear.limit(length);
            int before = connection.filled;
            wrap(connection, clear);
            if (clear.position() == 0 && connection.filled == before) {
                throw new SSLException("the connection takes no more");
            }
            connection.requestAddress += clear.position();
            connection.requestLength -= clear.position();
        }
        connection.requestWhole = false;
    }

    void addHandshakeRecord(TlsConnection connection) throws SSLException {
        wrap(connection, NOTHING);
    }

    /// Writes an alert.
    ///
    /// @return its length
    int writeAlert(TlsConnection connection, long to, int bytesMax) throws SSLException {
        encrypt(connection, NOTHING);
        int length = record.position();
        if (length > bytesMax) {
            throw new SSLException("an alert of " + length + " bytes");
        }
        Memory.putBytes(to, record.array(), length);
        return length;
    }

    private void wrap(TlsConnection connection, ByteBuffer from) throws SSLException {
        encrypt(connection, from);
        connection.append(record.array(), record.position());
    }

    private void encrypt(TlsConnection connection, ByteBuffer from) throws SSLException {
        record.clear();
        Status status;
        try {
            status = connection.engine().wrap(from, record).getStatus();
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
        if (status == Status.BUFFER_OVERFLOW) {
            throw new SSLException("a record of more than " + record.capacity() + " bytes");
        }
    }

    private SSLEngineResult unwrap(TlsConnection connection) throws SSLException {
        try {
            return connection.engine().unwrap(received, plain);
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
    }

    private static void runTasks(TlsConnection connection) throws SSLException {
        try {
            for (Runnable task = connection.engine().getDelegatedTask();
                    task != null;
                    task = connection.engine().getDelegatedTask()) {
                task.run();
            }
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
    }

    /// Continues a handshake as far as the received bytes allow.
    ///
    /// @return whether it is complete
    boolean handshake(TlsConnection connection) throws SSLException {
        while (true) {
            switch (connection.engine().getHandshakeStatus()) {
                case NEED_TASK -> runTasks(connection);
                case NEED_WRAP -> addHandshakeRecord(connection);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (connection.state == State.CONNECTING || !unwrapHandshake(connection)) {
                        return false;
                    }
                }
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
            }
        }
    }

    private boolean unwrapHandshake(TlsConnection connection) throws SSLException {
        if (!received.hasRemaining()) {
            return false;
        }
        Status status = unwrap(connection).getStatus();
        if (status == Status.CLOSED) {
            throw new SSLException("the server closed during the handshake");
        }
        return status == Status.OK;
    }

    /// Decrypts a record.
    ///
    /// @return whether there may be another one
    boolean read(TlsConnection connection) throws SSLException {
        SSLEngineResult result = unwrap(connection);
        HandshakeStatus handshake = result.getHandshakeStatus();
        if (handshake == HandshakeStatus.NEED_TASK) {
            runTasks(connection);
        }
        return switch (result.getStatus()) {
            case OK -> {
                refuseRenegotiation(connection, handshake);
                yield true;
            }
            case BUFFER_UNDERFLOW -> false;
            case CLOSED -> {
                connection.state = State.ENDED;
                yield false;
            }
            case BUFFER_OVERFLOW -> throw new SSLException("a record of more than 16 KB");
        };
    }

    private static void refuseRenegotiation(TlsConnection connection, HandshakeStatus handshake)
            throws SSLException {
        if (handshake != HandshakeStatus.NOT_HANDSHAKING
                && handshake != HandshakeStatus.FINISHED
                && connection.engine().getSession().getProtocol().equals("TLSv1.2")) {
            throw new SSLException("the server asks to renegotiate, which is not supported");
        }
    }

    void free() {
        Memory.unmap(plainAddress, PLAIN_BYTES);
    }
}
