package wallfinder.sampling;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.ReentrantLock;

/// A program with eight threads of one kind. Three of them each read from a connection. The others
/// share a lock, and all but one of them wait for it at any time.
final class Askers {
    private static final int READING = 3;
    private static final int ALL = 8;

    private Askers() {}

    public static void main(String[] arguments) throws Exception {
        ReentrantLock lock = new ReentrantLock(true);
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < ALL; i++) {
                Thread.Builder thread = Thread.ofPlatform().daemon().name("asker-" + i);
                if (i < READING) {
                    Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                    thread.start(() -> ask(socket));
                } else {
                    thread.start(() -> hand(lock));
                }
            }
            int ignored = System.in.read();
        }
    }

    private static void ask(Socket socket) {
        try (socket) {
            int ignored = socket.getInputStream().read();
        } catch (IOException e) {
            // the program ends
        }
    }

    private static void hand(ReentrantLock lock) {
        try {
            while (true) {
                lock.lockInterruptibly();
                try {
                    Thread.sleep(1);
                } finally {
                    lock.unlock();
                }
            }
        } catch (InterruptedException e) {
            // the program ends
        }
    }
}
