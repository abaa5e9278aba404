package wallfinder.load;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;

/// The TLS layer as [TlsEngine] uses it, without sockets: successive connections with one request
/// each. It checks the decrypted bytes.
///
/// Not thread-safe.
final class TlsFuzzClient implements AutoCloseable {
    /// More bytes than the layer may ever keep (its bounds are a record or a held flight).
    private static final int KEPT_BYTES_MAX = 1 << 18;

    private static final int HEARD_BYTES_MAX = 1 << 19;
    private static final int PORTS = 65_535;
    private static final String[] ONE_GROUP = {"x25519"};
    private static final int PIECES_MAX = 6;
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes();

    private final TlsPlan plan;
    private final SSLContext context;
    private final TlsRecords records = new TlsRecords();
    private final TlsConnection connection = new TlsConnection();
    private final long memory = Memory.map(HEARD_BYTES_MAX);
    private final long request = Memory.map(REQUEST.length);
    private int port = 443;
    private boolean asked;
    private int receivedBytes;

    /// @param keys source of its keys
    TlsFuzzClient(TlsPlan plan, SecureRandom keys) {
        this.plan = plan;
        try {
            context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {plan.identity()},
                    new TrustManager[] {new TlsWitness(plan.trust())},
                    keys);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
        if (!plan.resumption()) {
            context.getClientSessionContext().setSessionCacheSize(1);
        }
        Memory.putBytes(request, REQUEST);
    }

    /// The JDK finds sessions by host and port. A different port each time prevents resumption.
    ///
    /// @return the hello
    byte[] open() throws SSLException {
        asked = false;
        receivedBytes = 0;
        if (!plan.resumption()) {
            port = port % PORTS + 1;
        }
        SSLEngine engine = context.createSSLEngine(plan.host(), port);
        engine.setUseClientMode(true);
        SSLParameters parameters = plan.parameters();
        if (!plan.resumption() && "TLSv1.3".equals(plan.version())) {
            parameters.setNamedGroups(ONE_GROUP); // one pair of keys a hello, and not one each
        }
        engine.setSSLParameters(parameters);
        connection.open(engine);
        engine.beginHandshake();
        records.handshake(connection);
        byte[] hello = taken();
        connection.state = State.HANDSHAKING;
        return hello;
    }

    /// How many bytes of the answer have been passed on.
    int receivedBytes() {
        return receivedBytes;
    }

    /// Receives a flight in some pieces.
    ///
    /// @return the reply
    byte[] receive(byte[] flight, RandomGenerator random) throws SSLException {
        int at = 0;
        for (int piece = random.nextInt(PIECES_MAX); piece >= 0; piece--) {
            int length =
                    piece == 0 || at == flight.length
                            ? flight.length - at
                            : random.nextInt(flight.length - at) + 1;
            if (connection.state != State.ENDED) {
                receive(flight, at, length);
            }
            at += length;
        }
        if (connection.state == State.OPEN && !asked) {
            asked = true;
            connection.request(request, REQUEST.length, false);
            records.fill(connection);
        }
        return taken();
    }

    /// Receives bytes as the engine does.
    private void receive(byte[] flight, int at, int length) throws SSLException {
        Memory.putBytes(memory, Arrays.copyOfRange(flight, at, at + length));
        records.gather(connection, memory, length);
        if (connection.state == State.HANDSHAKING && records.handshake(connection)) {
            connection.state = State.OPEN;
        }
        if (connection.state == State.OPEN) {
            while (records.anyReceived() && records.read(connection)) {
                if (records.plainIsFull()) {
                    handOn();
                }
            }
            handOn();
        }
        if (connection.state != State.ENDED) {
            records.keepRest(connection);
        }
        if (connection.restLength > KEPT_BYTES_MAX || connection.filled > KEPT_BYTES_MAX) {
            throw new AssertionError("the layer keeps more than a bounded part");
        }
    }

    private void handOn() {
        int length = records.takePlain();
        byte[] plain = length == 0 ? new byte[0] : Memory.getBytes(records.plainAddress, length);
        if (!TlsFuzzServer.matches(plain, receivedBytes)) {
            throw new AssertionError("handed on what the server did not say");
        }
        receivedBytes += length;
    }

    private byte[] taken() {
        int length = connection.taken();
        return length == 0 ? new byte[0] : Memory.getBytes(connection.address, length);
    }

    void end() {
        connection.close();
    }

    @Override
    public void close() {
        connection.free();
        records.free();
        Memory.unmap(memory, HEARD_BYTES_MAX);
        Memory.unmap(request, REQUEST.length);
    }
}
