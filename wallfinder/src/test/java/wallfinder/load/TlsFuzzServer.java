package wallfinder.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/// The JDK's server without sockets, with one answer.
final class TlsFuzzServer {
    static final int ANSWER_BYTES_MAX = 40_000;

    private static final int FLIGHT_BYTES_MAX = 1 << 18;
    private static final int STEPS_MAX = 400;
    private static final byte[] ANSWER = new byte[ANSWER_BYTES_MAX];

    static {
        for (int i = 0; i < ANSWER.length; i++) {
            ANSWER[i] = (byte) (i * 31 + (i >> 8));
        }
    }

    private final SSLEngine engine;
    private final ByteBuffer to = ByteBuffer.allocate(FLIGHT_BYTES_MAX);
    private final ByteBuffer clear = ByteBuffer.allocate(FLIGHT_BYTES_MAX);
    private final int length;
    private boolean answered;

    /// @param length of the answer
    TlsFuzzServer(SSLContext context, int length) {
        this.length = length;
        engine = context.createSSLEngine();
        engine.setUseClientMode(false);
    }

    /// Whether these bytes are at this position of the answer.
    static boolean matches(byte[] bytes, int at) {
        return at + bytes.length <= ANSWER.length
                && Arrays.equals(bytes, 0, bytes.length, ANSWER, at, at + bytes.length);
    }

    /// The reply to some bytes, including the answer after the first request bytes.
    byte[] flight(byte[] said) throws SSLException {
        to.clear();
        clear.clear();
        ByteBuffer from = ByteBuffer.wrap(said.clone()); // is decrypted in place
        for (int i = 0; i < STEPS_MAX && step(from); i++) {}
        if (clear.position() > 0 && !answered) {
            answered = true;
            ByteBuffer answer = ByteBuffer.wrap(ANSWER, 0, length);
            while (answer.hasRemaining()) {
                engine.wrap(answer, to);
            }
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    /// @return whether there may be more to do
    private boolean step(ByteBuffer from) throws SSLException {
        for (Runnable task = engine.getDelegatedTask();
                task != null;
                task = engine.getDelegatedTask()) {
            task.run();
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            engine.wrap(ByteBuffer.allocate(0), to);
            return true;
        }
        if (!from.hasRemaining()) {
            return false;
        }
        int before = from.position();
        engine.unwrap(from, clear);
        HandshakeStatus status = engine.getHandshakeStatus();
        return from.position() != before
                || status == HandshakeStatus.NEED_TASK
                || status == HandshakeStatus.NEED_WRAP;
    }
}
