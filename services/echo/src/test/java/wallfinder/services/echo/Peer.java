package wallfinder.services.echo;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/// The other end of one of the server's connections.
final class Peer implements AutoCloseable {
    private static final int ANSWER_MILLIS_MAX = 30_000;
    private static final int SMALL_BYTES = 1 << 18;

    private final Socket socket = new Socket();

    private Peer() {}

    static Peer of(int port) throws IOException {
        Peer peer = new Peer();
        // A small receive buffer, so that a server must keep bytes that it cannot send.
        peer.socket.setReceiveBufferSize(SMALL_BYTES);
        peer.socket.connect(new InetSocketAddress("127.0.0.1", port), ANSWER_MILLIS_MAX);
        peer.socket.setSoTimeout(ANSWER_MILLIS_MAX);
        return peer;
    }

    static List<Peer> crowd(int count, int port) throws IOException {
        List<Peer> crowd = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            crowd.add(of(port));
        }
        return crowd;
    }

    /// Sends a message and returns the answer.
    String echoOf(String message) throws IOException {
        say(message);
        return hear(message.length());
    }

    void say(String message) throws IOException {
        socket.getOutputStream().write(message.getBytes(US_ASCII));
    }

    /// Sends a message in another thread, because the server reads on only while its answers are
    /// read.
    Thread sayMeanwhile(String message) {
        return Thread.startVirtualThread(() -> {
            try {
                say(message);
            } catch (IOException closed) {
                // The test checks the bytes that come back.
            }
        });
    }

    /// Reads this many bytes, or fewer at the end.
    String hear(int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
    }

    /// Ends with a reset instead of a close.
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /// The first of a row of free ports, below the ports that the kernel assigns.
    static int freePorts(int count) throws IOException {
        int first = 20_000 + (int) (ProcessHandle.current().pid() % 4_000) * 2;
        while (!allFree(first, count)) {
            first += count;
        }
        return first;
    }

    private static boolean allFree(int first, int count) throws IOException {
        List<ServerSocket> taken = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                taken.add(new ServerSocket(first + i, 1, InetAddress.getByName("127.0.0.1")));
            }
            return true;
        } catch (IOException inUse) {
            return false;
        } finally {
            for (ServerSocket listener : taken) {
                listener.close();
            }
        }
    }
}
