package wallfinder.load;

import javax.net.ssl.SSLException;
import wallfinder.linux.Memory;

/// A TLS library for the connections of one thread: handshakes and records, all from memory to
/// memory. [TlsEngine] passes on the bytes.
///
/// A connection that fails does so alone, with an [SSLException].
abstract sealed class TlsRecords permits JdkRecords, OpenSslRecords {
    /// The longest record of either version with its header (RFC 5246, section 6.2.3).
    static final int RECORD_BYTES_MAX = 5 + (1 << 14) + 2048;

    /// The longest content of a record.
    static final int CLEAR_BYTES_MAX = 1 << 14;

    /// How much of a request is encrypted at once. The rest waits until that is sent.
    static final int CHUNK_BYTES = 64 * 1024;

    /// The most that a server may send while our part of the handshake is being sent.
    static final int HELD_BYTES_MAX = 1 << 18;

    static final int PLAIN_BYTES = 4 * RECORD_BYTES_MAX;

    /// Bytes that were decrypted and not yet passed on.
    final long plainAddress = Memory.map(PLAIN_BYTES);

    /// Begins a connection, and adds its first message to the bytes to send.
    abstract void open(TlsConnection connection) throws SSLException;

    /// Appends received bytes to those kept earlier.
    abstract void gather(TlsConnection connection, long address, int length) throws SSLException;

    abstract boolean anyReceived();

    /// Keeps what was gathered until the handshake can go on.
    abstract void hold(TlsConnection connection) throws SSLException;

    /// Keeps the beginning of a record whose end has not arrived.
    abstract void keepRest(TlsConnection connection) throws SSLException;

    /// Continues a handshake as far as the gathered bytes allow.
    ///
    /// @return whether it is complete
    abstract boolean handshake(TlsConnection connection) throws SSLException;

    /// Whether the completed handshake resumed a session.
    abstract boolean resumed(TlsConnection connection);

    abstract String protocol(TlsConnection connection);

    abstract String cipher(TlsConnection connection);

    /// Encrypts the rest of a request, at most one chunk.
    abstract void fill(TlsConnection connection) throws SSLException;

    /// Decrypts gathered bytes. A close_notify ends the connection's state.
    ///
    /// @return whether there may be another record
    abstract boolean read(TlsConnection connection) throws SSLException;

    /// Forgets the decrypted bytes.
    ///
    /// @return how many there were
    abstract int takePlain();

    abstract boolean plainIsFull();

    /// This end will send nothing but the reason for its end.
    abstract void closeOutput(TlsConnection connection);

    /// Writes the reason for the end of a connection, as far as there is room and a reason.
    ///
    /// @return its length
    abstract int writeAlerts(TlsConnection connection, long to, int bytesMax);

    /// Forgets a connection.
    abstract void close(TlsConnection connection);

    /// Frees the memory after the last connection was closed.
    void free() {
        Memory.unmap(plainAddress, PLAIN_BYTES);
    }
}
