package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A web server that is not ours, with all its files in one folder.
final class Nginx implements AutoCloseable {
    private static final String TLS_LOG =
            """
            log_format tls '$ssl_session_reused $ssl_protocol $request';
            access_log access.log tls;
            """;
    private static final long READY_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

    private final Path folder;
    private final int port;
    private final Process process;

    private Nginx(Path folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /// Writes `nginx.conf`: one worker, a few bytes for each request, a line for each in
    /// `access.log`.
    ///
    /// @param main directives of the main context
    static void configure(Path folder, int port, String main) throws IOException {
        configure(folder, port, main, "return 200 \"ok\\n\";");
    }

    /// @param location directives for every request
    static void configure(Path folder, int port, String main, String location) throws IOException {
        Files.writeString(
                folder.resolve("nginx.conf"),
                """
                %s
                worker_processes 1;
                pid nginx.pid;
                error_log error.log;
                events { worker_connections 2048; }
                http {
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    keepalive_requests 100000000;
                    access_log %s;
                    server {
                        listen %d backlog=4096;
                        location / { %s }
                    }
                }
                """
                        .formatted(
                                main,
                                main.contains("daemon") ? "off" : "access.log",
                                port,
                                location));
    }

    /// Starts one on the host's loopback.
    static Nginx start(Path folder) throws IOException {
        int port = freePort();
        configure(folder, port, "master_process off;");
        return start(folder, port);
    }

    /// Starts one that speaks TLS. Each line of its log begins with `r` if the session was resumed.
    static Nginx start(Path folder, Path certificate, Path key) throws IOException {
        int port = freePort();
        configure(folder, port, "master_process off;");
        Path file = folder.resolve("nginx.conf");
        String tls =
                """
                ssl;
                ssl_certificate %s;
                ssl_certificate_key %s;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_session_cache builtin;
                """;
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("backlog=4096;", "backlog=4096 " + tls.formatted(certificate, key))
                        .replace("access_log access.log;", TLS_LOG));
        return start(folder, port);
    }

    private static Nginx start(Path folder, int port) throws IOException {
        Process process =
                new ProcessBuilder(
                                "nginx",
                                "-p",
                                folder.toString(),
                                "-e",
                                "error.log",
                                "-c",
                                "nginx.conf",
                                "-g",
                                "daemon off;")
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output.log").toFile())
                        .start();
        Nginx nginx = new Nginx(folder, port, process);
        nginx.awaitReady();
        return nginx;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
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
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    int port() {
        return port;
    }

    long accessLines() {
        return accessLines("");
    }

    /// Those that begin in a certain way.
    long accessLines(String start) {
        try (var lines = Files.lines(folder.resolve("access.log"))) {
            return lines.filter(line -> line.startsWith(start)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
