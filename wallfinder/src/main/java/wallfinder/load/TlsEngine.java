package wallfinder.load;

import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;
import wallfinder.observation.ErrorKind;

/// TLS between the exchanges and the sockets: an engine for the exchanges, and events for the
/// socket engine. A library does handshakes and records, all on the calling thread ([TlsRecords]).
///
/// Requests of a server between exchanges, for example for a new key, are answered with the next
/// request (RFC 8446, section 4.6.3). A renegotiation (TLS 1.2) fails.
final class TlsEngine implements Engine, Events {
    /// An idle connection takes this much at once, whatever its buffers.
    private static final int QUIET_BYTES_MAX = TlsRecords.RECORD_BYTES_MAX;

    private static final int ALERT_BYTES = 256;

    private static final int BROKEN = Errno.EPROTO.number();

    private final Engine inner;
    private final TlsConnection[] connections;
    private final TlsRecords records;
    final TlsTally tally = new TlsTally();
    private final long alerts;
    private @Nullable Events events;

    /// What the first successful handshake agreed on.
    @Nullable String protocol;

    @Nullable String cipher;

    /// Why the first connection failed, of those that failed.
    @Nullable String failure;

    TlsEngine(TlsPlan plan, int connections, Engine inner) {
        this.inner = inner;
        records = plan.library().records(plan, connections);
        alerts = Memory.map((long) connections * ALERT_BYTES);
        this.connections = new TlsConnection[connections];
        for (int slot = 0; slot < connections; slot++) {
            this.connections[slot] = new TlsConnection(slot);
        }
    }

    private Events outer() {
        if (events == null) {
            throw new IllegalStateException("an event outside poll");
        }
        return events;
    }

    @Override
    public int connect(int slot, long address, int length) {
        TlsConnection connection = connections[slot];
        connection.open();
        connection.request(address, length, false);
        connection.connectNanos = System.nanoTime();
        try {
            records.open(connection);
        } catch (SSLException e) {
            throw new IllegalStateException("a handshake cannot begin", e);
        }
        int result = inner.connect(slot, connection.address, connection.taken());
        if (result < 0) {
            forget(connection);
        }
        return result;
    }

    private void forget(TlsConnection connection) {
        records.close(connection);
        connection.close();
    }

    @Override
    public int send(int slot, long address, int length) {
        return send(slot, address, length, false);
    }

    /// Records are separate packets, whatever follows.
    @Override
    public int sendPart(int slot, long address, int length, boolean more) {
        return send(slot, address, length, true);
    }

    private int send(int slot, long address, int length, boolean part) {
        TlsConnection connection = connections[slot];
        if (connection.state != State.OPEN) {
            return -Errno.EPIPE.number();
        }
        if (connection.requestLength > 0) {
            return -BROKEN;
        }
        connection.request(address, length, part);
        return connection.sending || connection.holding ? 0 : push(slot, connection);
    }

    /// Encrypts and sends the rest of a request, one chunk at a time. Only a short whole request is
    /// sent without a report, because the answer shows that its memory is free.
    private int push(int slot, TlsConnection connection) {
        boolean whole = connection.requestWhole && !connection.part;
        try {
            records.fill(connection);
        } catch (SSLException e) {
            note(e.getMessage());
            return -BROKEN;
        }
        whole &= connection.requestLength == 0;
        long address = connection.address;
        int length = connection.taken();
        if (length == 0) {
            return 0;
        }
        if (whole && length <= QUIET_BYTES_MAX) {
            return inner.send(slot, address, length);
        }
        connection.sending = true;
        return inner.sendPart(slot, address, length, false);
    }

    private void pushOn(int slot, TlsConnection connection) {
        int result = push(slot, connection);
        if (result < 0) {
            outer().sendFailed(slot, -result);
        }
    }

    @Override
    public boolean handshaking(int slot) {
        return connections[slot].state == State.HANDSHAKING;
    }

    @Override
    public void disconnect(int slot) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.CLOSED) {
            return;
        }
        if (connection.state == State.OPEN && !connection.sending) {
            records.closeOutput(connection);
            sendAlerts(slot, connection);
        }
        inner.disconnect(slot);
        forget(connection);
    }

    /// Sends the reason for closing as far as possible without waiting. The slot's next connection
    /// may begin before these bytes are sent, so they have separate memory.
    private void sendAlerts(int slot, TlsConnection connection) {
        long address = alerts + (long) slot * ALERT_BYTES;
        int length = records.writeAlerts(connection, address, ALERT_BYTES);
        if (length > 0) {
            inner.send(slot, address, length);
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
        records.free();
        Memory.unmap(alerts, (long) connections.length * ALERT_BYTES);
    }

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

    /// On an open connection the bytes are a request.
    @Override
    public void sent(int slot) {
        if (connections[slot].state == State.OPEN) {
            outer().sent(slot);
        }
    }

    @Override
    public void connected(int slot) {
        connections[slot].state = State.HANDSHAKING;
        connections[slot].connectedNanos = System.nanoTime();
    }

    /// Decryption takes longer than receiving, so each piece gets a new clock reading.
    @Override
    public void received(int slot, long address, int length) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.ENDED) {
            return;
        }
        outer().tick();
        int generation = connection.generation;
        try {
            records.gather(connection, address, length);
            if (connection.state == State.HANDSHAKING && connection.sending) {
                // A reply would overwrite bytes that are still being sent.
                records.hold(connection);
                return;
            }
            if (connection.state == State.HANDSHAKING) {
                handshake(slot, connection);
            }
            if (generation == connection.generation && connection.state == State.OPEN) {
                read(slot, connection);
            }
            if (generation == connection.generation && connection.state != State.ENDED) {
                records.keepRest(connection);
            }
        } catch (SSLException e) {
            fail(slot, connection, e);
        }
    }

    private void handshake(int slot, TlsConnection connection) throws SSLException {
        if (records.handshake(connection)) {
            established(slot, connection);
        } else if (connection.filled > 0) {
            connection.sending = true;
            int result = inner.sendPart(slot, connection.address, connection.taken(), false);
            if (result < 0 && result != -Errno.EPIPE.number()) {
                outer().failed(slot, -result);
            }
        }
    }

    private void established(int slot, TlsConnection connection) {
        int generation = connection.generation;
        connection.state = State.OPEN;
        if (protocol == null) {
            protocol = records.protocol(connection);
            cipher = records.cipher(connection);
        }
        tally.handshaken(
                connection.connectedNanos - connection.connectNanos,
                System.nanoTime() - connection.connectedNanos,
                records.resumed(connection));
        outer().tick();
        connection.holding = true;
        outer().connected(slot);
        if (generation == connection.generation) {
            connection.holding = false;
            pushOn(slot, connection);
        }
    }

    private void read(int slot, TlsConnection connection) throws SSLException {
        try {
            while (records.anyReceived() && records.read(connection)) {
                if (records.plainIsFull() && !deliver(slot, connection)) {
                    return;
                }
            }
        } catch (SSLException e) {
            // The bytes before the error are a valid answer, and their reader may close the
            // connection.
            if (deliver(slot, connection)) {
                throw e;
            }
            return;
        }
        boolean ended = connection.state == State.ENDED;
        if (deliver(slot, connection) && ended) {
            outer().ending(slot);
        }
    }

    /// Passes on decrypted bytes.
    ///
    /// @return whether the connection is still the same
    private boolean deliver(int slot, TlsConnection connection) {
        int generation = connection.generation;
        int length = records.takePlain();
        if (length > 0) {
            connection.answered = true;
            outer().received(slot, records.plainAddress, length);
        }
        return generation == connection.generation;
    }

    /// An alert before any answer belongs to the handshake: in TLS 1.3 a server sees the client's
    /// certificate after the client has finished.
    private void fail(int slot, TlsConnection connection, SSLException e) {
        note(e.getMessage());
        boolean handshake = connection.state == State.HANDSHAKING || !connection.answered;
        if (!connection.sending) {
            sendAlerts(slot, connection);
        }
        connection.state = State.ENDED;
        outer().broken(slot, handshake ? ErrorKind.TLS_HANDSHAKE : ErrorKind.TLS_FAILED);
    }

    private void note(@Nullable String why) {
        if (failure == null) {
            failure = String.valueOf(why);
        }
    }

    /// Without a close_notify the answer may be truncated.
    @Override
    public void ended(int slot) {
        switch (connections[slot].state) {
            case ENDED, CONNECTING -> outer().ended(slot);
            case OPEN -> outer().broken(slot, ErrorKind.TLS_TRUNCATED);
            case HANDSHAKING -> endedHandshaking(slot, connections[slot]);
            case CLOSED -> {}
        }
    }

    @Override
    public void failed(int slot, int errno) {
        boolean reset = errno == Errno.ECONNRESET.number();
        switch (connections[slot].state) {
            case ENDED -> outer().ended(slot);
            case OPEN, CONNECTING -> outer().failed(slot, errno);
            case HANDSHAKING -> {
                if (reset) {
                    handshakeFailed(slot, "the server reset the connection during the handshake");
                } else {
                    outer().failed(slot, errno);
                }
            }
            case CLOSED -> {}
        }
    }

    /// Bytes that were held back may contain the reason.
    private void endedHandshaking(int slot, TlsConnection connection) {
        int generation = connection.generation;
        if (connection.sending) {
            continueHandshake(slot, connection);
        }
        if (generation == connection.generation && connection.state == State.HANDSHAKING) {
            handshakeFailed(slot, "the server closed during the handshake");
        } else if (generation == connection.generation) {
            ended(slot);
        }
    }

    private void continueHandshake(int slot, TlsConnection connection) {
        connection.sending = false;
        if (connection.restLength > 0) {
            received(slot, 0, 0);
        }
    }

    private void handshakeFailed(int slot, String why) {
        note(why);
        outer().broken(slot, ErrorKind.TLS_HANDSHAKE);
    }

    /// During a handshake the received bytes show the reason.
    @Override
    public void sendFailed(int slot, int errno) {
        TlsConnection connection = connections[slot];
        connection.sending = false;
        if (connection.state == State.OPEN) {
            outer().sendFailed(slot, errno);
        }
    }

    @Override
    public void partSent(int slot) {
        TlsConnection connection = connections[slot];
        if (connection.state == State.HANDSHAKING) {
            continueHandshake(slot, connection);
            return;
        }
        connection.sending = false;
        if (connection.state != State.OPEN) {
            return;
        }
        boolean all = connection.part && connection.requestLength == 0 && !connection.requestWhole;
        if (all) {
            connection.part = false;
            outer().partSent(slot);
        } else {
            pushOn(slot, connection);
        }
    }

    @Override
    public void ending(int slot) {
        throw new IllegalStateException("only a TLS engine reports this");
    }

    @Override
    public void broken(int slot, ErrorKind kind) {
        throw new IllegalStateException("only a TLS engine reports this");
    }
}
