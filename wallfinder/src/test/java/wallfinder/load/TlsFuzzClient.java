package wallfinder.load;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
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
    private static final String[] ONE_GROUP = {"x25519"};
    private static final int PIECES_MAX = 6;
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes();

    private final TlsRecords records;
    private final TlsConnection connection = new TlsConnection(0);
    private final long memory = Memory.map(HEARD_BYTES_MAX);
    private final long request = Memory.map(REQUEST.length);
    private boolean asked;
    private int receivedBytes;

    TlsFuzzClient(TlsRecords records) {
        this.records = records;
        Memory.putBytes(request, REQUEST);
    }

    /// @param keys source of its keys
    static TlsFuzzClient ofJdk(TlsPlan plan, SecureRandom keys) {
        TlsWitness witness = new TlsWitness(plan.trust());
        SSLParameters parameters = plan.parameters();
        if (!plan.resumption() && "TLSv1.3".equals(plan.version())) {
            parameters.setNamedGroups(ONE_GROUP); // one pair of keys a hello, and not one each
        }
        SSLContext context = context(plan, witness, keys);
        return new TlsFuzzClient(new JdkRecords(plan, witness, context, parameters, 1));
    }

    private static SSLContext context(TlsPlan plan, TlsWitness witness, SecureRandom keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {plan.identity()}, new TrustManager[] {witness}, keys);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    /// @return the hello
    byte[] open() throws SSLException {
        asked = false;
        receivedBytes = 0;
        connection.open();
        records.open(connection);
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
        connection.answered |= length > 0;
    }

    private byte[] taken() {
        int length = connection.taken();
        return length == 0 ? new byte[0] : Memory.getBytes(connection.address, length);
    }

    void end() {
        records.close(connection);
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
