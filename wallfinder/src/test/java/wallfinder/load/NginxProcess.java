package wallfinder.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// An nginx on the loopback address of the host, with the `nginx.conf` and all files in one folder.
public final class NginxProcess implements AutoCloseable {
    private static final long READY_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

    private final Path folder;
    private final InetSocketAddress address;
    private final Process process;

    private NginxProcess(Path folder, InetSocketAddress address, Process process) {
        this.folder = folder;
        this.address = address;
        this.process = process;
    }

    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /// @param port on which its configuration listens
    public static NginxProcess start(Path folder, int port) throws IOException {
        String[] command = {
            "nginx",
            "-p",
            folder.toString(),
            "-e",
            "error.log",
            "-c",
            "nginx.conf",
            "-g",
            "daemon off;"
        };
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output.log").toFile())
                        .start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        NginxProcess nginx = new NginxProcess(folder, address, process);
        nginx.awaitReady();
        return nginx;
    }

    public InetSocketAddress address() {
        return address;
    }

    private void awaitReady() throws IOException {
        long end = System.nanoTime() + READY_NANOS_MAX;
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                close();
                throw new IOException(
                        "nginx does not start: " + Files.readString(folder.resolve("output.log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
