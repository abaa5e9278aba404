package wallfinder.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Counts by its access log, a line for each request.
record CountingNginx(Path folder, InetSocketAddress address, Process process)
        implements CountingServer {
    private static final long READY_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);
    private static final int CONNECTION = 0;
    private static final int SENT_BYTES = 1;

    static CountingNginx start(Path folder, Identity identity) throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Files.writeString(
                folder.resolve("nginx.conf"),
                """
                master_process off;
                worker_processes 1;
                pid nginx.pid;
                error_log error.log;
                events { worker_connections 1024; }
                http {
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    keepalive_requests 100000000;
                    log_format counts "$connection $bytes_sent";
                    access_log access.log counts;
                    server {
                        listen 127.0.0.1:%d%s;
                        location / { return 200 "ok\\n"; }
                    }
                }
                """
                        .formatted(port, identity == null ? "" : secured(identity)));
        ProcessBuilder builder =
                new ProcessBuilder(
                        "nginx",
                        "-p",
                        folder.toString(),
                        "-e",
                        "error.log",
                        "-c",
                        "nginx.conf",
                        "-g",
                        "daemon off;");
        Process process =
                builder.redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output.log").toFile())
                        .start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        CountingNginx nginx = new CountingNginx(folder, address, process);
        nginx.awaitReady();
        return nginx;
    }

    private static String secured(Identity identity) {
        return " ssl; ssl_certificate %s; ssl_certificate_key %s"
                .formatted(identity.certificate(), identity.key());
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
    public Counts stop() {
        close();
        List<long[]> lines = CountingServer.numbers(folder.resolve("access.log"));
        return new Counts(
                lines.stream().map(line -> line[CONNECTION]).distinct().count(),
                lines.size(),
                UNKNOWN,
                lines.stream().mapToLong(line -> line[SENT_BYTES]).sum());
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
