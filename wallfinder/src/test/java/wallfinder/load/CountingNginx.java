package wallfinder.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Counts the lines of its access log, one per request.
record CountingNginx(Path folder, NginxProcess nginx) implements CountingServer {
    private static final int CONNECTION = 0;
    private static final int SENT_BYTES = 1;

    static CountingNginx start(Path folder, Identity identity) throws IOException {
        int port = NginxProcess.freePort();
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
        return new CountingNginx(folder, NginxProcess.start(folder, port));
    }

    private static String secured(Identity identity) {
        return " ssl; ssl_certificate %s; ssl_certificate_key %s"
                .formatted(identity.certificate(), identity.key());
    }

    @Override
    public InetSocketAddress address() {
        return nginx.address();
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
        nginx.close();
    }
}
