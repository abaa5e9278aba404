package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/// Answers the requests of one connection in turn, each after a known delay. It stamps their
/// arrival and answer with the clock of the engine.
///
/// One thread with one blocking read: only one wake-up is between a packet and its stamp.
final class StampingServer implements AutoCloseable {
    private static final byte[] ANSWER = ScriptedServer.OK.getBytes(StandardCharsets.ISO_8859_1);

    private final ServerSocket listener;
    private final Thread thread;
    private final long[] received;
    private final long[] answered;
    private volatile int count;

    /// @param delayNanos as a function of the nanoseconds since the first request
    StampingServer(int requests, LongUnaryOperator delayNanos) {
        received = new long[requests];
        answered = new long[requests];
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofPlatform().daemon().start(() -> serve(delayNanos));
    }

    private void serve(LongUnaryOperator delayNanos) {
        Undisturbed.here();
        try (Socket socket = listener.accept()) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            byte[] request = new byte[4096];
            // Requests of these tests arrive in one piece.
            for (int i = 0; i < received.length && in.read(request) > 0; i++) {
                received[i] = System.nanoTime();
                waitFor(delayNanos.applyAsLong(received[i] - received[0]));
                answered[i] = System.nanoTime();
                socket.getOutputStream().write(ANSWER);
                count = i + 1;
            }
            while (in.read(request) >= 0) {
                continue;
            }
        } catch (IOException e) {
            // the client closed the connection
        }
    }

    private static void waitFor(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /// From the arrival of a request to its answer.
    Histogram services() {
        Histogram services = Tally.histogram();
        IntStream.range(0, count).forEach(i -> services.recordValue(answered[i] - received[i]));
        return services;
    }

    /// From the due time of a request to its answer. The engine's start is unknown, but the
    /// earliest request relative to the schedule arrived no later than a wake-up and a loopback
    /// after it was due.
    Histogram responses(long distanceNanos) {
        long start =
                IntStream.range(0, count)
                        .mapToLong(i -> received[i] - i * distanceNanos)
                        .min()
                        .orElseThrow();
        Histogram responses = Tally.histogram();
        IntStream.range(0, count)
                .forEach(i -> responses.recordValue(answered[i] - start - i * distanceNanos));
        return responses;
    }

    @Override
    public void close() {
        try {
            listener.close();
            thread.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
