import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/// An HTTP server that answers like a queue in front of equal workers: `QueueServer PORT WORKERS MILLIS fixed|random`.
///
/// No thread works or sleeps for an answer. One thread computes when a worker would have finished it, and sends it
/// then. So the times add up exactly, and the queue is M/D/k or M/M/k if the requests are a Poisson process.
final class QueueServer {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /// The kernel's timer is late by less than this.
    private static final long SPIN_NANOS = 1_500_000;

    private record Job(long endNanos, SocketChannel to) {}

    private final long[] freeAtNanos;
    private final double serviceNanos;
    private final boolean fixed;
    /// Another one in each start: with the same times again and again, trials would not be independent.
    private final Random random = new Random();

    private final PriorityQueue<Job> jobs = new PriorityQueue<>(Comparator.comparingLong(Job::endNanos));
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16);

    private QueueServer(int workers, double serviceMillis, boolean fixed) {
        freeAtNanos = new long[workers];
        Arrays.fill(freeAtNanos, System.nanoTime());
        serviceNanos = serviceMillis * 1e6;
        this.fixed = fixed;
    }

    public static void main(String[] arguments) throws IOException {
        QueueServer server =
                new QueueServer(
                        Integer.parseInt(arguments[1]),
                        Double.parseDouble(arguments[2]),
                        arguments[3].equals("fixed"));
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                Selector selector = Selector.open()) {
            listener.bind(new InetSocketAddress(Integer.parseInt(arguments[0])), 1024);
            listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("ready");
            while (true) {
                server.await(selector);
                for (SelectionKey key : selector.selectedKeys()) {
                    server.serve(key, selector);
                }
                selector.selectedKeys().clear();
                server.answer();
            }
        }
    }

    private void await(Selector selector) throws IOException {
        Job next = jobs.peek();
        if (next == null) {
            selector.select();
            return;
        }
        long left = next.endNanos() - System.nanoTime() - SPIN_NANOS;
        if (left >= 1_000_000) {
            selector.select(left / 1_000_000);
        } else {
            selector.selectNow();
        }
    }

    private void serve(SelectionKey key, Selector selector) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
            accepted.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            return;
        }
        SocketChannel from = (SocketChannel) key.channel();
        in.clear();
        int read = read(from);
        if (read < 0) {
            from.close();
        } else if (read >= END.length && endsRequest(read)) {
            queue(from, System.nanoTime());
        }
    }

    private int read(SocketChannel from) {
        try {
            return from.read(in);
        } catch (IOException e) {
            return -1;
        }
    }

    private boolean endsRequest(int length) {
        return Arrays.equals(in.array(), length - END.length, length, END, 0, END.length);
    }

    private void queue(SocketChannel from, long nowNanos) {
        int first = 0;
        for (int i = 1; i < freeAtNanos.length; i++) {
            first = freeAtNanos[i] < freeAtNanos[first] ? i : first;
        }
        double service = fixed ? serviceNanos : -serviceNanos * Math.log(1 - random.nextDouble());
        freeAtNanos[first] = Math.max(nowNanos, freeAtNanos[first]) + (long) service;
        jobs.add(new Job(freeAtNanos[first], from));
    }

    private void answer() {
        long now = System.nanoTime();
        while (!jobs.isEmpty() && jobs.peek().endNanos() <= now) {
            try {
                jobs.remove().to().write(ByteBuffer.wrap(ANSWER));
            } catch (IOException e) {
                // The client closed the connection.
            }
        }
    }
}
