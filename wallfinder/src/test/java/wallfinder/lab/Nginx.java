package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import wallfinder.load.NginxProcess;

/// A web server that is not ours, with all its files in one folder.
public final class Nginx implements AutoCloseable {
    private static final String TLS_LOG =
            """
            log_format tls '$ssl_session_reused $ssl_protocol $request';
            access_log access.log tls;
            """;

    private final Path folder;
    private final int port;
    private final NginxProcess process;

    private Nginx(Path folder, int port, NginxProcess process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /// Writes `nginx.conf`: one worker, a few bytes for each request, a line for each in
    /// `access.log`.
    ///
    /// @param main directives of the main context
    public static void configure(Path folder, int port, String main) throws IOException {
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
    public static Nginx start(Path folder) throws IOException {
        int port = NginxProcess.freePort();
        configure(folder, port, "master_process off;");
        return start(folder, port);
    }

    /// Starts one that speaks TLS. Each line of its log begins with `r` if the session was resumed.
    public static Nginx start(Path folder, Path certificate, Path key) throws IOException {
        int port = NginxProcess.freePort();
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
        return new Nginx(folder, port, NginxProcess.start(folder, port));
    }

    public String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    public int port() {
        return port;
    }

    public long accessLines() {
        return accessLines("");
    }

    /// Those that begin in a certain way.
    public long accessLines(String start) {
        try (var lines = Files.lines(folder.resolve("access.log"))) {
            return lines.filter(line -> line.startsWith(start)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
