package wallfinder.load;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;

/// TLS by the JDK (JSSE). It works in arrays, for which the ciphers of the JDK are optimized.
///
/// If bytes make the JDK throw an unexpected exception, only their connection ends.
final class JdkRecords extends TlsRecords {
    /// The most alerts that are sent before closing.
    private static final int ALERTS_MAX = 3;

    private static final int PORTS = 65_535;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final TlsPlan plan;
    private final TlsWitness witness;
    private final SSLContext context;
    private final SSLParameters parameters;
    private final @Nullable SSLEngine[] engines;

    /// Whether the server's certificate was checked: the handshake resumed no session.
    private final boolean[] full;

    private final ByteBuffer clear = ByteBuffer.allocate(TlsRecords.CLEAR_BYTES_MAX);
    private final ByteBuffer record = ByteBuffer.allocate(2 * RECORD_BYTES_MAX);
    private final ByteBuffer plain = Memory.buffer(plainAddress, PLAIN_BYTES);
    private ByteBuffer received = ByteBuffer.allocate(2 * TlsRecords.CHUNK_BYTES);
    private int port;

    JdkRecords(TlsPlan plan, int connections) {
        this(plan, new TlsWitness(plan.trust()), plan.parameters(), connections);
    }

    private JdkRecords(
            TlsPlan plan, TlsWitness witness, SSLParameters parameters, int connections) {
        this(plan, witness, plan.context(plan.identity(), witness), parameters, connections);
    }

    JdkRecords(
            TlsPlan plan,
            TlsWitness witness,
            SSLContext context,
            SSLParameters parameters,
            int connections) {
        this.plan = plan;
        this.witness = witness;
        this.context = context;
        this.parameters = parameters;
        if (!plan.resumption()) {
            context.getClientSessionContext().setSessionCacheSize(1);
        }
        engines = new SSLEngine[connections];
        full = new boolean[connections];
    }

    /// The JDK finds sessions by host and port. A different port each time prevents resumption.
    @Override
    void open(TlsConnection connection) throws SSLException {
        if (!plan.resumption()) {
            port = port % PORTS + 1;
        }
        SSLEngine made =
                context.createSSLEngine(plan.host(), plan.resumption() ? plan.port() : port);
        made.setUseClientMode(true);
        made.setSSLParameters(parameters);
        engines[connection.slot] = made;
        full[connection.slot] = false;
        made.beginHandshake();
        handshake(connection);
    }

    private SSLEngine engine(TlsConnection connection) {
        SSLEngine engine = engines[connection.slot];
        if (engine == null) {
            throw new IllegalStateException("there is no connection");
        }
        return engine;
    }

    @Override
    int takePlain() {
        int length = plain.position();
        plain.clear();
        return length;
    }

    @Override
    boolean plainIsFull() {
        return plain.remaining() < RECORD_BYTES_MAX;
    }

    @Override
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

    @Override
    boolean anyReceived() {
        return received.hasRemaining();
    }

    @Override
    void hold(TlsConnection connection) throws SSLException {
        connection.keepRest(received, TlsRecords.HELD_BYTES_MAX);
    }

    @Override
    void keepRest(TlsConnection connection) throws SSLException {
        connection.keepRest(received, RECORD_BYTES_MAX);
    }

    @Override
    void fill(TlsConnection connection) throws SSLException {
        while (connection.requestLength > 0 && connection.filled < TlsRecords.CHUNK_BYTES) {
            int length = Math.min(connection.requestLength, TlsRecords.CLEAR_BYTES_MAX);
            clear.clear();
            Memory.getBytes(connection.requestAddress, clear.array(), 0, length);
            clear.limit(length);
            int before = connection.filled;
            wrap(connection, clear);
            if (clear.position() == 0 && connection.filled == before) {
                throw new SSLException("the connection takes no more");
            }
            connection.requestTaken(clear.position());
        }
        connection.requestWhole = false;
    }

    @Override
    void closeOutput(TlsConnection connection) {
        engine(connection).closeOutbound();
    }

    @Override
    int writeAlerts(TlsConnection connection, long to, int bytesMax) {
        int length = 0;
        try {
            for (int i = 0; i < ALERTS_MAX && !engine(connection).isOutboundDone(); i++) {
                encrypt(connection, NOTHING);
                if (length + record.position() > bytesMax) {
                    break;
                }
                Memory.putBytes(to + length, record.array(), record.position());
                length += record.position();
            }
        } catch (SSLException _) {
            // The output has been closed before.
        }
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
            status = engine(connection).wrap(from, record).getStatus();
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
        if (status == Status.BUFFER_OVERFLOW) {
            throw new SSLException("a record of more than " + record.capacity() + " bytes");
        }
    }

    private SSLEngineResult unwrap(TlsConnection connection) throws SSLException {
        try {
            return engine(connection).unwrap(received, plain);
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
    }

    private void runTasks(TlsConnection connection) throws SSLException {
        long checked = witness.checked;
        try {
            for (Runnable task = engine(connection).getDelegatedTask();
                    task != null;
                    task = engine(connection).getDelegatedTask()) {
                task.run();
            }
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
        full[connection.slot] |= witness.checked != checked;
    }

    @Override
    boolean handshake(TlsConnection connection) throws SSLException {
        while (true) {
            switch (engine(connection).getHandshakeStatus()) {
                case NEED_TASK -> runTasks(connection);
                case NEED_WRAP -> wrap(connection, NOTHING);
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

    @Override
    boolean resumed(TlsConnection connection) {
        return !full[connection.slot];
    }

    @Override
    String protocol(TlsConnection connection) {
        return engine(connection).getSession().getProtocol();
    }

    @Override
    String cipher(TlsConnection connection) {
        return engine(connection).getSession().getCipherSuite();
    }

    @Override
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

    private void refuseRenegotiation(TlsConnection connection, HandshakeStatus handshake)
            throws SSLException {
        if (handshake != HandshakeStatus.NOT_HANDSHAKING
                && handshake != HandshakeStatus.FINISHED
                && protocol(connection).equals("TLSv1.2")) {
            throw new SSLException("the server asks to renegotiate, which is not supported");
        }
    }

    @Override
    void close(TlsConnection connection) {
        engines[connection.slot] = null;
    }
}
