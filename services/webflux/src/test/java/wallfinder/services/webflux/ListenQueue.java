package wallfinder.services.webflux;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The accept queue of a listener on this machine, as `ss` shows it.
final class ListenQueue {
    private static final List<Path> TOOLS = List.of(Path.of("/usr/bin/ss"), Path.of("/sbin/ss"));

    private ListenQueue() {}

    static boolean visible() {
        return TOOLS.stream().anyMatch(Files::isExecutable);
    }

    /// The effective length of the queue: Send-Q of `ss -ltn`.
    static int limit(int port) throws IOException, InterruptedException {
        return column(port, 2);
    }

    /// The connections in the queue: Recv-Q of `ss -ltn`.
    static int waiting(int port) throws IOException, InterruptedException {
        return column(port, 1);
    }

    private static int column(int port, int column) throws IOException, InterruptedException {
        Path ss = TOOLS.stream().filter(Files::isExecutable).findFirst().orElseThrow();
        Process process = new ProcessBuilder(ss.toString(), "-ltnH", "sport = :" + port).start();
        String listed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        process.waitFor();
        return Integer.parseInt(listed.split("\\s+")[column]);
    }

    /// The kernel's bound for every backlog. A file of /proc/sys must be read with one read: the
    /// kernel returns nothing to a read from the second byte on, and `readString` begins with a
    /// single byte.
    static int somaxconn() throws IOException {
        try (BufferedReader setting =
                Files.newBufferedReader(Path.of("/proc/sys/net/core/somaxconn"))) {
            return Integer.parseInt(setting.readLine().strip());
        }
    }
}
