package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixWaitersTest {
    /// Has three connections. At a line of its input, a thread waits for data from each of the
    /// first two: in `recvfrom`, and in `poll`, because it has a time limit.
    private static final String CLIENT =
            """
            import socket, sys, threading
            def connected(limit):
                one = socket.socket(socket.AF_UNIX)
                one.connect(sys.argv[1])
                one.settimeout(limit)
                return one
            all = [connected(None), connected(600), connected(None)]
            print("connected", flush=True)
            sys.stdin.readline()
            for one in all[:2]:
                threading.Thread(target=one.recv, args=(1,), daemon=True).start()
            sys.stdin.readline()
            """;

    @Test
    void threads_that_wait_where_none_waited_without_load_count(@TempDir Path folder)
            throws Exception {
        Path path = folder.resolve("backend");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                ProcessTree tree = new ProcessTree()) {
            server.bind(UnixDomainSocketAddress.of(path));
            Process client = new ProcessBuilder("python3", "-c", CLIENT, path.toString()).start();
            try (BufferedReader out = client.inputReader()) {
                assertThat(out.readLine()).isEqualTo("connected");
                tree.scan(client.pid());
                UnixWaiters waiters = new UnixWaiters();
                waiters.beginUnloaded(tree.members());
                waiters.endUnloaded(tree.members());
                assertThat(waiters.look(tree.members())).isEmpty();

                client.outputWriter().append('\n').flush();
                Readings.waitFor("both wait", () -> waiters.look(tree.members()).size() == 2);
                assertThat(waiters.look(tree.members()).values()).containsExactly(1.0, 1.0);

                UnixWaiters later = new UnixWaiters();
                assertThat(later.look(tree.members())).as("nothing is known").isEmpty();
                later.beginUnloaded(tree.members());
                later.endUnloaded(tree.members());
                assertThat(later.look(tree.members())).as("they wait for work").isEmpty();
            } finally {
                client.destroy();
            }
        }
    }
}
