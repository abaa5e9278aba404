package wallfinder.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;
import wallfinder.linux.Memory;
import wallfinder.linux.OpenSsl;
import wallfinder.load.TlsConnection.State;

/// TLS by the system's OpenSSL. All connections read from one buffer, which contains the gathered
/// bytes of one connection at a time. OpenSSL itself keeps the beginning of a record, so nothing is
/// left in the buffer. Each connection writes to a buffer of its own.
final class OpenSslRecords extends TlsRecords {
    private final OpenSsl ssl = new OpenSsl();
    private final boolean resumption;
    private final long context;

    /// SNI; 0: none is sent.
    private final long serverName;

    private final int serverNameBytes;
    private final long input = ssl.newBuffer();

    /// Always empty: what a connection reads from while it begins, because the other buffer may
    /// have bytes of a connection whose answer is being passed on.
    private final long nothing = ssl.newBuffer();

    /// By slot; 0: there is no connection.
    private final long[] handles;

    private final long[] outputs;

    /// Of the last connection with an answer; 0: none.
    private long session;

    private int plainLength;

    OpenSslRecords(TlsPlan plan, int connections) {
        resumption = plan.resumption();
        handles = new long[connections];
        outputs = new long[connections];
        context = context(plan);
        byte[] name = plan.named() ? (plan.serverName() + '\0').getBytes(US_ASCII) : new byte[0];
        serverNameBytes = name.length;
        serverName = name.length == 0 ? 0 : Memory.map(name.length);
        Memory.putBytes(serverName, name);
    }

    private long context(TlsPlan plan) {
        String version = plan.version();
        long made =
                ssl.newContext(
                        "TLSv1.3".equals(version) ? OpenSsl.TLS_1_3 : OpenSsl.TLS_1_2,
                        "TLSv1.2".equals(version) ? OpenSsl.TLS_1_2 : OpenSsl.TLS_1_3);
        ssl.offerProtocol(made, TlsPlan.HTTP_1_1);
        X509ExtendedTrustManager trust = plan.trust();
        if (trust != null) {
            for (X509Certificate trusted : trust.getAcceptedIssuers()) {
                ssl.trust(made, der(trusted));
            }
            ssl.verify(made, plan.named() ? plan.serverName() : plan.host(), plan.named());
        }
        PrivateKey key = plan.key();
        if (key != null) {
            List<byte[]> chain = new ArrayList<>();
            plan.chain().forEach(certificate -> chain.add(der(certificate)));
            ssl.identify(made, key.getEncoded(), chain);
        }
        return made;
    }

    private static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate without its bytes", e);
        }
    }

    @Override
    void open(TlsConnection connection) throws SSLException {
        long output = ssl.newBuffer();
        long handle = ssl.newConnection(context, nothing, output);
        handles[connection.slot] = handle;
        outputs[connection.slot] = output;
        if (serverName != 0) {
            ssl.setServerName(handle, serverName);
        }
        if (session != 0 && ssl.resumable(session)) {
            ssl.resume(handle, session);
        }
        handshake(connection);
        ssl.setInput(handle, input);
    }

    @Override
    void gather(TlsConnection connection, long address, int length) throws SSLException {
        plainLength = 0;
        if (anyReceived()) {
            ssl.emptyBuffer(input); // their connection has failed, or was closed
        }
        if (connection.restLength > 0) {
            ByteBuffer rest = ByteBuffer.allocate(connection.restLength);
            connection.takeRest(rest);
            rest.flip();
            while (rest.hasRemaining()) {
                byte[] part = new byte[Math.min(rest.remaining(), PLAIN_BYTES)];
                rest.get(part);
                Memory.putBytes(plainAddress, part);
                put(plainAddress, part.length);
            }
        }
        if (length > 0) {
            put(address, length);
        }
    }

    private void put(long address, int length) throws SSLException {
        if (ssl.writeBuffer(input, address, length) != length) {
            throw new SSLException("there is no memory for %d bytes".formatted(length));
        }
    }

    @Override
    boolean anyReceived() {
        return ssl.pending(input) > 0;
    }

    @Override
    void hold(TlsConnection connection) throws SSLException {
        ByteBuffer held = ByteBuffer.allocate(ssl.pending(input));
        while (held.hasRemaining()) {
            int length =
                    ssl.readBuffer(input, plainAddress, Math.min(held.remaining(), PLAIN_BYTES));
            held.put(Memory.getBytes(plainAddress, length));
        }
        connection.keepRest(held.flip(), TlsRecords.HELD_BYTES_MAX);
    }

    /// OpenSSL has taken it.
    @Override
    void keepRest(TlsConnection connection) {}

    @Override
    boolean handshake(TlsConnection connection) throws SSLException {
        long handle = handles[connection.slot];
        int result = ssl.handshake(handle);
        boolean done = result == 1;
        if (!done && ssl.error(handle, result) != OpenSsl.WANT_READ) {
            throw failure(handle);
        }
        takeOutput(connection);
        return done;
    }

    private SSLException failure(long handle) {
        return new SSLException(ssl.failure(handle));
    }

    private void takeOutput(TlsConnection connection) {
        long output = outputs[connection.slot];
        int length = ssl.pending(output);
        if (length > 0) {
            connection.filled += ssl.readBuffer(output, connection.room(length), length);
        }
    }

    @Override
    boolean resumed(TlsConnection connection) {
        return ssl.resumed(handles[connection.slot]);
    }

    /// Whether the server asked for the client's certificate, in the last handshake.
    boolean certificateAsked(TlsConnection connection) {
        return ssl.certificateAsked(handles[connection.slot]);
    }

    @Override
    String protocol(TlsConnection connection) {
        return ssl.protocol(handles[connection.slot]);
    }

    @Override
    String cipher(TlsConnection connection) {
        return ssl.cipher(handles[connection.slot]);
    }

    @Override
    void fill(TlsConnection connection) throws SSLException {
        long handle = handles[connection.slot];
        while (connection.requestLength > 0 && connection.filled < TlsRecords.CHUNK_BYTES) {
            int length = Math.min(connection.requestLength, TlsRecords.CLEAR_BYTES_MAX);
            int taken = ssl.write(handle, connection.requestAddress, length);
            if (taken <= 0) {
                throw failure(handle);
            }
            connection.requestTaken(taken);
            takeOutput(connection);
        }
        connection.requestWhole = false;
    }

    @Override
    boolean read(TlsConnection connection) throws SSLException {
        long handle = handles[connection.slot];
        int length = ssl.read(handle, plainAddress + plainLength, PLAIN_BYTES - plainLength);
        if (length > 0) {
            plainLength += length;
            refuseRenegotiation(connection);
            return true;
        }
        switch (ssl.error(handle, length)) {
            case OpenSsl.WANT_READ -> refuseRenegotiation(connection);
            case OpenSsl.ZERO_RETURN -> connection.state = State.ENDED;
            default -> throw failure(handle);
        }
        return false;
    }

    /// OpenSSL refuses with a warning, and the server would wait or end the connection. In TLS 1.2
    /// it writes nothing else by itself. One read may take the server's wish and the answer behind
    /// it.
    private void refuseRenegotiation(TlsConnection connection) throws SSLException {
        if (ssl.pending(outputs[connection.slot]) > 0
                && ssl.protocol(handles[connection.slot]).equals("TLSv1.2")) {
            throw new SSLException("the server asks to renegotiate, which is not supported");
        }
    }

    @Override
    int takePlain() {
        int length = plainLength;
        plainLength = 0;
        return length;
    }

    @Override
    boolean plainIsFull() {
        return PLAIN_BYTES - plainLength < RECORD_BYTES_MAX;
    }

    @Override
    void closeOutput(TlsConnection connection) {
        ssl.shutdown(handles[connection.slot]);
    }

    @Override
    int writeAlerts(TlsConnection connection, long to, int bytesMax) {
        long output = outputs[connection.slot];
        int length = ssl.pending(output);
        return length == 0 || length > bytesMax ? 0 : ssl.readBuffer(output, to, length);
    }

    /// OpenSSL resumes no session whose connection did not end in order, which it takes to be so
    /// only if this end, too, has written a close_notify.
    @Override
    void close(TlsConnection connection) {
        long handle = handles[connection.slot];
        if (resumption && connection.answered) {
            ssl.shutdown(handle);
            long ended = ssl.session(handle);
            if (ended != 0) {
                forgetSession();
                session = ended;
            }
        }
        ssl.free(handle);
        handles[connection.slot] = 0;
        outputs[connection.slot] = 0;
    }

    private void forgetSession() {
        if (session != 0) {
            ssl.freeSession(session);
            session = 0;
        }
    }

    @Override
    void free() {
        super.free();
        forgetSession();
        ssl.freeContext(context);
        ssl.freeBuffer(input);
        ssl.freeBuffer(nothing);
        if (serverName != 0) {
            Memory.unmap(serverName, serverNameBytes);
        }
    }
}
