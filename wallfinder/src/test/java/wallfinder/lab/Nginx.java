package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import wallfinder.load.NginxProcess;

/// nginx, a web server of another project, with all its files in one folder.
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

    private static void configure(Path folder, int port) throws IOException {
        configure(folder, port, "master_process off;", "return 200 \"ok\\n\";");
    }

    /// Writes `nginx.conf` for a service of an experiment.
    ///
    /// @return the command that starts it
    public static String service(Path folder, int port) throws IOException {
        return service(folder, port, "return 200 \"ok\\n\";");
    }

    /// @param location directives for every request
    static String service(Path folder, int port, String location) throws IOException {
        configure(folder, port, "daemon off;", location);
        return "nginx -p " + folder + " -e error.log -c nginx.conf";
    }

    /// Replaces a text in `nginx.conf`.
    public static void edit(Path folder, String old, String replacement) throws IOException {
        Path file = folder.resolve("nginx.conf");
        Files.writeString(file, Files.readString(file).replace(old, replacement));
    }

    private static void configure(Path folder, int port, String main, String location)
            throws IOException {
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

    /// Starts nginx on the host's loopback. It writes a line to `access.log` for each request.
    public static Nginx start(Path folder) throws IOException {
        int port = NginxProcess.freePort();
        configure(folder, port);
        return start(folder, port);
    }

    /// Starts nginx with TLS. Each line of its log begins with `r` if the session was resumed.
    public static Nginx start(Path folder, Path certificate, Path key) throws IOException {
        int port = NginxProcess.freePort();
        configure(folder, port);
        String tls =
                """
                ssl;
                ssl_certificate %s;
                ssl_certificate_key %s;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_session_cache builtin;
                """;
        edit(folder, "backlog=4096;", "backlog=4096 " + tls.formatted(certificate, key));
        edit(folder, "access_log access.log;", TLS_LOG);
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

    /// Counts the lines that begin with this text.
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
