package wallfinder.load;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;
import wallfinder.observation.ErrorKind;

/// TLS between the exchanges and the sockets: to the one side an engine, to the other its events.
/// Handshakes and records are the JDK's (JSSE); all their work is done on the calling thread.
///
/// Records are put together and taken apart in arrays, for which the JDK's ciphers are made, and
/// copied from and to the memory of the sockets. A record that has not come whole is kept until its
/// rest is there.
///
/// What a server may ask for between requests, a new key for example, is answered with the next
/// request (RFC 8446, section 4.6.3). A server that wants to renegotiate (TLS 1.2) fails.
final class TlsEngine implements Engine, Events {
    /// The longest record of either version with its head, RFC 5246, section 6.2.3.
    static final int RECORD_BYTES_MAX = 5 + (1 << 14) + 2048;

    /// How much of a request is encrypted at once: the rest waits until that has gone.
    static final int CHUNK_BYTES = 64 * 1024;

    /// So much is taken by an idle connection at once, whatever its buffers.
    private static final int QUIET_BYTES_MAX = RECORD_BYTES_MAX;

    private static final int PLAIN_RECORD_BYTES = 1 << 14;
    private static final int PLAIN_BYTES = 4 * RECORD_BYTES_MAX;

    /// Alerts to part with: more are not waited for.
    private static final int ALERTS_MAX = 3;

    private static final int PORTS = 65_535;
    private static final int BROKEN = Errno.EPROTO.number();
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Engine inner;
    private final TlsPlan plan;
    private final TlsIdentity identity;
    private final TlsWitness witness;
    private final SSLContext context;
    private final SSLParameters parameters;
    private final TlsConnection[] connections;
    private final ByteBuffer clear = ByteBuffer.allocate(PLAIN_RECORD_BYTES);
    private final ByteBuffer record = ByteBuffer.allocate(2 * RECORD_BYTES_MAX);
    private final long plainAddress = Memory.map(PLAIN_BYTES);
    private final ByteBuffer plain = Memory.buffer(plainAddress, PLAIN_BYTES);
    private ByteBuffer received = ByteBuffer.allocate(2 * CHUNK_BYTES);
    private @Nullable Events events;
    private int port;
    private @Nullable String protocol;
    private @Nullable String cipher;
    private @Nullable String failure;

    TlsEngine(TlsPlan plan, int connections, Engine inner) {
        this.plan = plan;
        this.inner = inner;
        identity = plan.identity();
        witness = new TlsWitness(plan.trust());
        context = plan.context(identity, witness);
        if (!plan.resumption()) {
            context.getClientSessionContext().setSessionCacheSize(1);
        }
        parameters = plan.parameters();
        this.connections = new TlsConnection[connections];
        for (int slot = 0; slot < connections; slot++) {
            this.connections[slot] = new TlsConnection();
        }
    }

    /// Of the first handshake that succeeded.
    @Nullable String protocol() {
        return protocol;
    }

    @Nullable String cipher() {
        return cipher;
    }

    /// Why the first connection that failed did.
    @Nullable String failure() {
        return failure;
    }

    private Events outer() {
        if (events == null) {
            throw new IllegalStateException("an event outside of poll");
        }
        return events;
    }

    // ---- to the sockets
    // --------------------------------------------------------------------------

    @Override
    public int connect(int slot, long address, int length) {
        TlsConnection connection = connections[slot];
        connection.open(engine());
        connection.request(address, length);
        try {
            connection.engine().beginHandshake();
            advance(connection);
        } catch (SSLException e) {
            throw new IllegalStateException("a handshake cannot be begun", e);
        }
        int result = inner.connect(slot, connection.address(), connection.taken());
        if (result < 0) {
            connection.close();
        }
        return result;
    }

    /// Sessions are kept by host and port: under another port none is found.
    private SSLEngine engine() {
        if (!plan.resumption()) {
            port = port % PORTS + 1;
        }
        SSLEngine made =
                context.createSSLEngine(plan.host(), plan.resumption() ? plan.port() : port);
        made.setUseClientMode(true);
        made.setSSLParameters(parameters);
        return made;
    }

    @Override
    public int send(int slot, long address, int length) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.ENDED) {
            return -Errno.EPIPE.number();
        }
        if (connection.state != State.OPEN || connection.requestLength > 0) {
            return -BROKEN; // answered before it was asked to the end
        }
        connection.request(address, length);
        return connection.telling || connection.holding ? 0 : push(slot, connection);
    }

    @Override
    public int sendTold(int slot, long address, int length) {
        throw new IllegalStateException("nothing is above TLS that wants to be told");
    }

    @Override
    public void disconnect(int slot) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.CLOSED) {
            return;
        }
        if (connection.state == State.OPEN && !connection.telling) {
            connection.engine().closeOutbound();
            part(slot, connection);
        }
        inner.disconnect(slot);
        connection.close();
    }

    /// Says why we close, as far as that goes at once.
    private void part(int slot, TlsConnection connection) {
        try {
            for (int i = 0; i < ALERTS_MAX && !connection.engine().isOutboundDone(); i++) {
                wrap(connection, NOTHING);
            }
        } catch (SSLException _) {
            return; // it has been closed before
        }
        if (connection.filled() > 0) {
            inner.send(slot, connection.address(), connection.taken());
        }
    }

    @Override
    public void poll(Events events, long nanosMax) {
        this.events = events;
        inner.poll(this, nanosMax);
    }

    @Override
    public void close() {
        for (int slot = 0; slot < connections.length; slot++) {
            disconnect(slot);
        }
        inner.close();
        for (TlsConnection connection : connections) {
            connection.free();
        }
        Memory.unmap(plainAddress, PLAIN_BYTES);
    }

    /// Encrypts and sends what is left of a request. Only what is answered before anything else is
    /// sent goes untold: its memory is free by then.
    private int push(int slot, TlsConnection connection) {
        try {
            while (!connection.telling
                    && (connection.requestLength > 0 || connection.filled() > 0)) {
                boolean whole = connection.requestWhole;
                fill(connection);
                whole &= connection.requestLength == 0;
                long address = connection.address();
                int length = connection.taken();
                if (whole && length <= QUIET_BYTES_MAX) {
                    return inner.send(slot, address, length);
                }
                int result = inner.sendTold(slot, address, length);
                if (result < 0) {
                    return result;
                }
                connection.telling = result == 0;
            }
            return 0;
        } catch (SSLException e) {
            note(e);
            return -BROKEN;
        }
    }

    private void fill(TlsConnection connection) throws SSLException {
        while (connection.requestLength > 0 && connection.filled() < CHUNK_BYTES) {
            int length = Math.min(connection.requestLength, PLAIN_RECORD_BYTES);
            clear.clear();
            Memory.getBytes(connection.requestAddress, clear.array(), 0, length);
            clear.limit(length);
            int before = connection.filled();
            wrap(connection, clear);
            if (clear.position() == 0 && connection.filled() == before) {
                throw new SSLException("the connection takes no more");
            }
            connection.requestAddress += clear.position();
            connection.requestLength -= clear.position();
        }
        connection.requestWhole = false;
    }

    private void wrap(TlsConnection connection, ByteBuffer from) throws SSLException {
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
        connection.append(record.array(), record.position());
    }

    // ---- from the sockets
    // ------------------------------------------------------------------------

    @Override
    public void waiting(long nanosMax) {
        outer().waiting(nanosMax);
    }

    @Override
    public void woken(boolean happened) {
        outer().woken(happened);
    }

    @Override
    public void tick() {
        outer().tick();
    }

    /// On an open connection that is a request.
    @Override
    public void sent(int slot) {
        if (connections[slot].state == State.OPEN) {
            outer().sent(slot);
        }
    }

    @Override
    public void connected(int slot) {
        TlsConnection connection = connections[slot];
        connection.state = State.SHAKING;
        outer().stands(slot);
    }

    /// Decrypting takes longer than receiving, so each piece has a time of its own.
    @Override
    public void received(int slot, long address, int length) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.ENDED) {
            return;
        }
        outer().tick();
        gather(connection, address, length);
        int generation = connection.generation;
        try {
            if (connection.state == State.SHAKING) {
                shake(slot, connection);
            }
            if (generation == connection.generation && connection.state == State.OPEN) {
                read(slot, connection);
            }
            if (generation == connection.generation && connection.state != State.ENDED) {
                connection.keepRest(received, RECORD_BYTES_MAX);
            }
        } catch (SSLException e) {
            broke(slot, connection, e);
        }
    }

    private void gather(TlsConnection connection, long address, int length) {
        int all = connection.restLength() + length;
        if (all > received.capacity()) {
            received = ByteBuffer.allocate(2 * all);
        }
        received.clear();
        connection.takeRest(received);
        Memory.getBytes(address, received.array(), received.position(), length);
        received.position(0).limit(all);
    }

    private void shake(int slot, TlsConnection connection) throws SSLException {
        long checked = witness.checked;
        boolean done = advance(connection);
        if (witness.checked != checked) {
            connection.full = true;
        }
        if (done) {
            established(slot, connection);
        } else if (connection.filled() > 0) {
            // The server answers this, or closes: so it goes untold.
            int result = inner.send(slot, connection.address(), connection.taken());
            if (result < 0 && result != -Errno.EPIPE.number()) {
                outer().failed(slot, -result);
            }
        }
    }

    /// Goes on with a handshake as far as what has been received allows.
    ///
    /// @return whether it is complete
    private boolean advance(TlsConnection connection) throws SSLException {
        while (true) {
            switch (connection.engine().getHandshakeStatus()) {
                case NEED_TASK -> runTasks(connection);
                case NEED_WRAP -> wrap(connection, NOTHING);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!received.hasRemaining() || connection.state == State.CONNECTING) {
                        return false;
                    }
                    plain.clear();
                    SSLEngineResult result = unwrap(connection);
                    if (result.getStatus() == Status.CLOSED) {
                        throw new SSLException("the server closed during the handshake");
                    }
                    if (result.getStatus() != Status.OK) {
                        return false;
                    }
                }
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
            }
        }
    }

    private void runTasks(TlsConnection connection) throws SSLException {
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

    /// What the JDK throws for bytes that it did not foresee is the connection's end and no more.
    private SSLEngineResult unwrap(TlsConnection connection) throws SSLException {
        try {
            return connection.engine().unwrap(received, plain);
        } catch (RuntimeException e) {
            throw new SSLException(e);
        }
    }

    private void established(int slot, TlsConnection connection) {
        int generation = connection.generation;
        connection.state = State.OPEN;
        if (protocol == null) {
            SSLSession session = connection.engine().getSession();
            protocol = session.getProtocol();
            cipher = session.getCipherSuite();
        }
        outer().tick();
        outer().handshaken(slot, !connection.full);
        connection.holding = true;
        outer().connected(slot);
        if (generation == connection.generation) {
            connection.holding = false;
            pushOn(slot, connection);
        }
    }

    private void pushOn(int slot, TlsConnection connection) {
        int result = push(slot, connection);
        if (result < 0) {
            outer().sendFailed(slot, -result);
        }
    }

    private void read(int slot, TlsConnection connection) throws SSLException {
        int generation = connection.generation;
        plain.clear();
        try {
            while (received.hasRemaining() && decrypt(connection)) {
                if (plain.remaining() < RECORD_BYTES_MAX && !tell(slot, connection)) {
                    return;
                }
            }
        } catch (SSLException e) {
            // What came before is an answer all the same, and its reader may close.
            if (tell(slot, connection)) {
                throw e;
            }
            return;
        }
        boolean ended = connection.state == State.ENDED;
        if (tell(slot, connection) && ended && generation == connection.generation) {
            outer().ending(slot);
        }
    }

    /// Hands on what was decrypted.
    ///
    /// @return whether the connection is still the same
    private boolean tell(int slot, TlsConnection connection) {
        int length = plain.position();
        int generation = connection.generation;
        if (length > 0) {
            plain.clear();
            connection.answered = true;
            outer().received(slot, plainAddress, length);
        }
        return generation == connection.generation;
    }

    /// @return whether there may be another record
    private boolean decrypt(TlsConnection connection) throws SSLException {
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
            throw new SSLException("the server asks to renegotiate, which is not done here");
        }
    }

    /// An alert that comes before any answer is still the handshake's: in TLS 1.3 a server sees the
    /// client's certificate only when the client is already done.
    private void broke(int slot, TlsConnection connection, SSLException e) {
        note(e);
        boolean handshake = connection.state == State.SHAKING || !connection.answered;
        if (!connection.telling) {
            part(slot, connection);
        }
        connection.state = State.ENDED;
        outer().broken(slot, handshake ? ErrorKind.TLS_HANDSHAKE : ErrorKind.TLS_FAILED);
    }

    private void note(SSLException e) {
        if (failure == null) {
            failure = String.valueOf(e.getMessage());
        }
    }

    /// Without a close_notify nobody knows whether that is all that the server had to say.
    @Override
    public void ended(int slot) {
        switch (connections[slot].state) {
            case ENDED -> outer().ended(slot);
            case OPEN -> outer().broken(slot, ErrorKind.TLS_TRUNCATED);
            case SHAKING -> unshaken(slot, "the server closed during the handshake");
            case CONNECTING -> outer().ended(slot);
            case CLOSED -> {}
        }
    }

    @Override
    public void failed(int slot, int errno) {
        switch (connections[slot].state) {
            case ENDED -> outer().ended(slot);
            case SHAKING -> {
                if (errno == Errno.ECONNRESET.number()) {
                    unshaken(slot, "the server reset the connection during the handshake");
                } else {
                    outer().failed(slot, errno);
                }
            }
            case OPEN, CONNECTING -> outer().failed(slot, errno);
            case CLOSED -> {}
        }
    }

    private void unshaken(int slot, String why) {
        note(new SSLException(why));
        outer().broken(slot, ErrorKind.TLS_HANDSHAKE);
    }

    /// In a handshake, what is received tells what became of it.
    @Override
    public void sendFailed(int slot, int errno) {
        TlsConnection connection = connections[slot];
        connection.telling = false;
        if (connection.state == State.OPEN) {
            outer().sendFailed(slot, errno);
        }
    }

    @Override
    public void gone(int slot) {
        TlsConnection connection = connections[slot];
        connection.telling = false;
        if (connection.state == State.OPEN) {
            pushOn(slot, connection);
        }
    }

    @Override
    public void stands(int slot) {
        throw notBelow();
    }

    @Override
    public void handshaken(int slot, boolean resumed) {
        throw notBelow();
    }

    @Override
    public void ending(int slot) {
        throw notBelow();
    }

    @Override
    public void broken(int slot, ErrorKind kind) {
        throw notBelow();
    }

    private static IllegalStateException notBelow() {
        return new IllegalStateException("a socket engine tells this of no socket");
    }
}
