package wallfinder.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import wallfinder.experiment.TlsSpec;
import wallfinder.linux.Memory;
import wallfinder.load.TlsConnection.State;

/// The TLS layer without sockets: whole conversations with a server's engine, in which the server's
/// flights come in other pieces and, with some chance, spoilt. Whatever comes, the layer throws
/// nothing but an [SSLException], keeps a bounded part of it, and hands on nothing that the server
/// did not say.
///
/// Not to be shared by threads.
final class TlsRecordsFuzz implements AutoCloseable {
    static final String HOST = "localhost";

    private static final int PORT = 443;
    private static final int PIECES_MAX = 6;
    private static final int FLIGHT_BYTES_MAX = 1 << 18;
    private static final int ANSWER_BYTES_MAX = 40_000;
    private static final int ROUNDS_MAX = 20;
    private static final double SPOILT_CHANCE = 0.3;
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes();
    private static final byte[] ANSWER = new byte[ANSWER_BYTES_MAX];

    static {
        for (int i = 0; i < ANSWER.length; i++) {
            ANSWER[i] = (byte) (i * 31 + (i >> 8));
        }
    }

    private final SSLContext server;
    private final SSLContext client;
    private final TlsPlan plan;
    private final TlsRecords records = new TlsRecords();
    private final TlsConnection connection = new TlsConnection();
    private final long memory = Memory.map(2L * FLIGHT_BYTES_MAX);
    private final long request = Memory.map(REQUEST.length);
    private final ByteBuffer to = ByteBuffer.allocate(FLIGHT_BYTES_MAX);
    private final ByteBuffer clear = ByteBuffer.allocate(FLIGHT_BYTES_MAX);
    private long answered;
    private long refused;
    private long stood;
    private long bytes;

    // Of one input.
    private RandomGenerator random = RandomGenerator.getDefault();
    private boolean spoilt;
    private int heard;

    private TlsRecordsFuzz(SSLContext server, TlsPlan plan) {
        this.server = server;
        this.plan = plan;
        client = plan.context(plan.identity(), new TlsWitness(plan.trust()));
        Memory.putBytes(request, REQUEST);
    }

    /// That many conversations, each with a seed of its own.
    ///
    /// @param version `1.2` or `1.3`
    static TlsRecordsFuzz run(Certificates certificates, String version, long seed, long count) {
        String ca = certificates.certificate("ca").toString();
        TlsSpec spec = new TlsSpec(ca, null, null, false, version, true);
        TlsPlan plan = TlsPlan.of(spec, HOST, PORT, null);
        try (TlsRecordsFuzz fuzz = new TlsRecordsFuzz(certificates.server("server"), plan)) {
            Seeded.cases(seed, count, fuzz::one);
            return fuzz;
        }
    }

    /// Conversations with the whole answer.
    long answered() {
        return answered;
    }

    /// Those that ended with an [SSLException] on either side.
    long refused() {
        return refused;
    }

    /// Those in which each side waited for the other.
    long stood() {
        return stood;
    }

    long bytes() {
        return bytes;
    }

    void one(RandomGenerator seeded) {
        random = seeded;
        spoilt = false;
        heard = 0;
        int length = random.nextInt(1, ANSWER_BYTES_MAX);
        try {
            converse(length);
        } catch (SSLException _) {
            if (!spoilt) {
                throw new AssertionError("refused, though nothing was spoilt");
            }
            refused++;
        } finally {
            connection.close();
        }
    }

    private void converse(int length) throws SSLException {
        SSLEngine own = client.createSSLEngine(HOST, PORT);
        own.setUseClientMode(true);
        own.setSSLParameters(plan.parameters());
        SSLEngine other = server.createSSLEngine();
        other.setUseClientMode(false);
        connection.open(own);
        own.beginHandshake();
        records.shake(connection);
        byte[] said = taken();
        connection.state = State.SHAKING;
        boolean asked = false;
        boolean told = false;
        for (int round = 0; round < ROUNDS_MAX && heard < length; round++) {
            clear.clear();
            byte[] flight = answer(other, said);
            if (clear.position() > 0 && !told) {
                told = true;
                flight = joined(flight, encrypted(other, length));
            }
            hear(flight);
            if (connection.state == State.OPEN && !asked) {
                asked = true;
                connection.request(request, REQUEST.length, false);
                records.fill(connection);
            }
            said = taken();
            if (said.length == 0 && flight.length == 0) {
                break;
            }
        }
        end(length);
    }

    private void end(int length) {
        if (heard == length) {
            answered++;
        } else if (spoilt) {
            stood++;
        } else {
            throw new AssertionError("%d of %d bytes, nothing spoilt".formatted(heard, length));
        }
    }

    private byte[] taken() {
        int length = connection.taken();
        return length == 0 ? new byte[0] : Memory.getBytes(connection.address(), length);
    }

    /// What the server says to some bytes; its clear text is in `clear`.
    private byte[] answer(SSLEngine other, byte[] said) throws SSLException {
        ByteBuffer from = ByteBuffer.wrap(said);
        to.clear();
        for (int i = 0; i < ROUNDS_MAX * ROUNDS_MAX; i++) {
            for (Runnable task = other.getDelegatedTask();
                    task != null;
                    task = other.getDelegatedTask()) {
                task.run();
            }
            if (other.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                other.wrap(ByteBuffer.allocate(0), to);
            } else if (from.hasRemaining()) {
                int before = from.position();
                other.unwrap(from, clear);
                if (from.position() == before
                        && other.getHandshakeStatus() != HandshakeStatus.NEED_TASK
                        && other.getHandshakeStatus() != HandshakeStatus.NEED_WRAP) {
                    break;
                }
            } else {
                break;
            }
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    private byte[] encrypted(SSLEngine other, int length) throws SSLException {
        ByteBuffer from = ByteBuffer.wrap(ANSWER, 0, length);
        to.clear();
        while (from.hasRemaining()) {
            other.wrap(from, to);
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    /// As the engine does it with what it receives.
    private void hear(byte[] flight) throws SSLException {
        byte[] come = flight;
        if (flight.length > 0 && random.nextDouble() < SPOILT_CHANCE) {
            come = Spoiling.spoil(flight, random);
            spoilt = true;
        }
        bytes += come.length;
        int at = 0;
        for (int piece = random.nextInt(PIECES_MAX); piece >= 0; piece--) {
            int length =
                    piece == 0 || at == come.length
                            ? come.length - at
                            : random.nextInt(come.length - at) + 1;
            if (connection.state != State.ENDED) {
                hear(come, at, length);
            }
            at += length;
        }
    }

    private void hear(byte[] come, int at, int length) throws SSLException {
        Memory.putBytes(memory, Arrays.copyOfRange(come, at, at + length));
        records.gather(connection, memory, length);
        if (connection.state == State.SHAKING && records.shake(connection)) {
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
    }

    private void handOn() {
        int length = records.takePlain();
        byte[] plain = length == 0 ? new byte[0] : Memory.getBytes(records.plainAddress(), length);
        boolean own =
                heard + length <= ANSWER.length
                        && Arrays.equals(plain, 0, length, ANSWER, heard, heard + length);
        if (!own) {
            throw new AssertionError("handed on what the server did not say");
        }
        heard += length;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    @Override
    public void close() {
        connection.free();
        records.free();
        Memory.unmap(memory, 2L * FLIGHT_BYTES_MAX);
        Memory.unmap(request, REQUEST.length);
    }
}
