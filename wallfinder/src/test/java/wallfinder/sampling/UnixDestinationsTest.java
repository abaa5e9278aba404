package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixConnection;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;

class UnixDestinationsTest {
    private static final String NAME = "unix:/run/backend";

    private final UnixDestinations destinations = new UnixDestinations();
    private long seconds = 1_000;

    private void count(long... inodes) {
        count(Map.of(), inodes);
    }

    private void count(Map<Long, Double> waiters, long... inodes) {
        destinations.count(
                LongStream.of(inodes)
                        .mapToObj(inode -> new UnixConnection(inode, "/run/backend"))
                        .toList(),
                waiters,
                seconds++ * 1_000_000_000);
    }

    @Test
    void a_destination_whose_connections_end_soon_counts_from_then_on() {
        assertThat(destinations.unseen()).isZero();
        count(1, 2);
        assertThat(destinations.most(4)).isEmpty();
        assertThat(destinations.unseen()).isNaN();
        count(3, 4, 5);
        assertThat(destinations.most(4)).containsExactly(NAME);
        assertThat(destinations.connected(NAME)).isEqualTo(3);
        assertThat(destinations.busy(NAME)).isEqualTo(3);
        count();
        assertThat(destinations.busy(NAME)).isZero();
        assertThat(destinations.unseen()).isZero();
    }

    /// Each request takes three looks.
    @Test
    void connections_may_live_for_several_looks() {
        for (int look = 3; look < 20; look++) {
            count(look, look - 1, look - 2);
        }
        assertThat(destinations.busy(NAME)).isEqualTo(3);
    }

    /// One of its ten connections is replaced every ten looks.
    @Test
    void a_pool_that_replaces_a_connection_now_and_then_does_not_count() {
        for (int look = 0; look < 100; look++) {
            int from = look / 10;
            count(LongStream.range(from, from + 10).toArray());
            assertThat(destinations.most(4)).isEmpty();
        }
        assertThat(destinations.unseen()).isNaN();
    }

    @Test
    void connections_that_threads_wait_at_are_requests_under_way() {
        count(1, 2, 3);
        assertThat(destinations.most(4)).isEmpty();
        count(Map.of(1L, 1.0, 3L, 2.5, 99L, 1.0), 1, 2, 3);
        assertThat(destinations.most(4)).containsExactly(NAME);
        assertThat(destinations.connected(NAME)).isEqualTo(3);
        assertThat(destinations.busy(NAME)).isEqualTo(3.5);
        count(1, 2, 3);
        assertThat(destinations.busy(NAME)).isZero();
        assertThat(destinations.connected(NAME)).isEqualTo(3);
    }

    @Test
    void only_the_connections_of_the_own_processes_count(@TempDir Path folder) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("backend"));
        String connections = DependencyFigure.CONNECTIONS.of("unix:" + address).text();
        long own = ProcessHandle.current().pid();
        Process other = new ProcessBuilder("sleep", "60").start();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SockDiag diag = SockDiag.open();
                UnixDependenciesReader ours = reader(diag, own);
                UnixDependenciesReader theirs = reader(diag, other.pid());
                UnixDependenciesReader toItself = reader(diag, own, address.toString())) {
            server.bind(address);
            for (int i = 0; i < 2; i++) {
                try (SocketChannel _ = SocketChannel.open(address);
                        SocketChannel _ = server.accept()) {
                    Map<String, Double> _ = Readings.inFull(ours);
                    Map<String, Double> _ = Readings.inFull(theirs);
                    Map<String, Double> _ = Readings.inFull(toItself);
                }
            }
            try (SocketChannel _ = SocketChannel.open(address);
                    SocketChannel _ = server.accept()) {
                assertThat(Readings.inFull(ours)).containsEntry(connections, 1.0);
                assertThat(Readings.inFull(theirs)).doesNotContainKey(connections);
                assertThat(Readings.inFull(toItself)).doesNotContainKey(connections);
            }
        } finally {
            other.destroy();
        }
    }

    private static UnixDependenciesReader reader(SockDiag diag, long pid, String... listens) {
        return new UnixDependenciesReader(
                diag, End.SERVER, new OwnSockets(() -> new long[] {pid}), Set.of(listens));
    }
}
