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

/// Answers the requests of one connection in turn, each after a delay that a test knows, and stamps
/// when it came and when it was answered, by the clock that the engine reads too.
///
/// One thread with one blocking read: between the packet and the stamp is one wake-up.
final class StampingServer implements AutoCloseable {
    private static final byte[] ANSWER = ScriptedServer.OK.getBytes(StandardCharsets.ISO_8859_1);

    private final ServerSocket listener;
    private final Thread thread;
    private final long[] received;
    private final long[] answered;
    private volatile int count;

    /// @param delayNanos from the number of nanoseconds since the first request
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
            // A request of these tests comes whole.
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
            // the client went away
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

    /// From when a request came to when it was answered.
    Histogram services() {
        Histogram services = Tally.histogram();
        IntStream.range(0, count).forEach(i -> services.recordValue(answered[i] - received[i]));
        return services;
    }

    /// From when a request was due to when it was answered. The engine's start is not told, but the
    /// request that came earliest against the schedule came no later than a wake-up and a loopback
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
