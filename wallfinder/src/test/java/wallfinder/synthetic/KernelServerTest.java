package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.linux.Namespaces;
import wallfinder.linux.PacketCapture;
import wallfinder.linux.SockDiag;
import wallfinder.linux.TcpState;

/// Synthetic peers against a server with kernel sockets, over a TUN device in a namespace. The
/// counts of both ends and of a packet capture are the same.
@Tag("sandbox")
class KernelServerTest {
    private static final String ADDRESS = "198.18.0.1";
    private static final int SERVER = 0xC6120001;
    private static final int CLIENT = 0xC6130001;
    private static final int PORT = 8000;
    private static final int PREFIX = 15;
    private static final long SECOND = 1_000_000_000L;
    private static final long NANOS_MAX = 60 * SECOND;
    private static final int BATCH = 64;

    /// Runs in a new thread, whose namespace ends with it.
    private static <T> T inNewNamespace(Callable<T> work) throws Exception {
        FutureTask<T> task =
                new FutureTask<>(() -> {
                    Namespaces.unshareNetwork();
                    return work.call();
                });
        Thread.ofPlatform().start(task);
        return task.get(120, TimeUnit.SECONDS);
    }

    /// Peers at work over a link that may lose packets.
    private static final class Work implements AutoCloseable {
        final Link link;
        final Peers peers;
        final EchoTcpHandler handler;
        final Tcp tcp;
        final SockDiag diag = SockDiag.open();
        private final SplittableRandom random = new SplittableRandom(42);
        private final double loss;
        private int next;
        private int lost;

        Work(int connections, int bytes, int messages, double loss) throws Exception {
            this.loss = loss;
            link = Link.open(InetAddress.getByName(ADDRESS), PREFIX);
            peers = new Peers(connections);
            handler = new EchoTcpHandler(peers, bytes, messages);
            Tuples tuples = new Tuples(SERVER, PORT, 2, CLIENT, 4, 1024, 60_000);
            TcpPlan plan =
                    new TcpPlan(
                            tuples,
                            bytes,
                            Link.BYTES,
                            connections,
                            30 * SECOND,
                            30 * SECOND,
                            random.nextLong());
            tcp = new Tcp(plan, peers, this::send, handler, System.nanoTime());
            handler.tcp = tcp;
        }

        private boolean loses() {
            boolean loses = random.nextDouble() < loss;
            lost += loses ? 1 : 0;
            return loses;
        }

        private void send(long packet, int length) {
            if (!loses()) {
                link.send(packet, length);
            }
        }

        private void receive(long packet, int length, long now) {
            if (!loses()) {
                tcp.receive(packet, length, now);
            }
        }

        void until(BooleanSupplier done) {
            long deadline = System.nanoTime() + NANOS_MAX;
            while (!done.getAsBoolean()) {
                long now = System.nanoTime();
                assertThat(now - deadline).as("it takes too long: " + handler.endings).isNegative();
                tcp.turn(now);
                for (int i = 0; i < BATCH && next < peers.size() && tcp.open(next, now); i++) {
                    next++;
                }
                if (link.receive(this::receive, BATCH, System::nanoTime) == 0) {
                    link.await(Math.min(tcp.waitNanos(now), SECOND / 100));
                }
            }
        }

        int alive() {
            int alive = 0;
            for (int slot = 0; slot < peers.size(); slot++) {
                alive += peers.connected(slot) ? 1 : 0;
            }
            return alive;
        }

        /// Whether each connection has ended or has nothing left to send.
        boolean done() {
            for (int slot = 0; slot < peers.size(); slot++) {
                boolean said = peers.resting(slot) && peers.progress(slot) >= handler.messages;
                if (!said && peers.ending(slot) == null) {
                    return false;
                }
            }
            return true;
        }

        void closeAll() {
            for (int slot = 0; slot < peers.size(); slot++) {
                assertThat(tcp.close(slot, System.nanoTime())).isTrue();
            }
            until(() -> tcp.underWay() == 0);
        }

        int kernel(TcpState state) {
            return diag.countByState().getOrDefault(state, 0);
        }

        @Override
        public void close() {
            diag.close();
            tcp.close();
            peers.close();
            handler.close();
            link.close();
        }
    }

    private record Seen(
            int answered,
            int alive,
            int sockets,
            Map<Ending, Integer> endings,
            TcpCounts counts,
            List<byte[]> packets,
            int missed) {}

    /// Opens, exchanges messages, counts and closes.
    private static Seen seen(int connections, int bytes, int messages, int backlog, double loss)
            throws Exception {
        return inNewNamespace(() -> {
            try (Work work = new Work(connections, bytes, messages, loss);
                    PacketCapture capture = PacketCapture.open();
                    EchoServer server = new EchoServer(ADDRESS, PORT, 2, backlog)) {
                work.until(work::done);
                work.until(() -> work.kernel(TcpState.ESTABLISHED) == work.alive());
                int alive = work.alive();
                work.closeAll();
                work.until(() ->
                        work.kernel(TcpState.ESTABLISHED) == 0
                                && work.kernel(TcpState.LAST_ACK) == 0);
                List<byte[]> packets = new ArrayList<>(capture.packets());
                int all = work.diag.countByState().values().stream().mapToInt(n -> n).sum();
                return new Seen(
                        work.handler.answered,
                        alive,
                        all - work.kernel(TcpState.LISTEN),
                        work.handler.endings,
                        work.tcp.counts(),
                        packets,
                        capture.missed());
            }
        });
    }

    @Test
    void every_connection_is_known_to_the_kernel_and_a_capture_shows_correct_tcp()
            throws Exception {
        Seen seen = seen(300, 32, 5, 4096, 0);
        assertThat(seen.answered).isEqualTo(1500);
        assertThat(seen.alive).isEqualTo(300);
        assertThat(seen.sockets).as("no TIME-WAIT at the server: we closed first").isZero();
        assertThat(seen.endings).isEmpty();
        assertThat(seen.counts.damaged).isZero();
        assertThat(seen.counts.strays).isZero();
        assertThat(seen.counts.closedInOrder).isEqualTo(300);
        assertThat(seen.missed).isZero();
        Capture capture = Capture.of(seen.packets, SERVER);
        assertThat(capture.packets())
                .isEqualTo(
                        Math.toIntExact(seen.counts.packetsIn + seen.counts.packetsOut)
                                - Math.toIntExact(seen.counts.foreign));
        assertThat(capture.connections())
                .hasSize(300)
                .allMatch(Capture.Connection::closedInOrder)
                .allSatisfy(connection -> {
                    assertThat(connection.sent()).hasSize(160).isEqualTo(connection.echoed());
                    assertThat(connection.sentTwice()).isZero();
                });
    }

    @Test
    void silent_connections_stay_open() throws Exception {
        Seen seen = seen(1000, 0, 0, 4096, 0);
        assertThat(seen.alive).isEqualTo(1000);
        assertThat(Capture.of(seen.packets, SERVER).connections())
                .hasSize(1000)
                .allMatch(Capture.Connection::established)
                .allMatch(Capture.Connection::closedInOrder);
    }

    @Test
    void long_messages_come_back_complete_through_small_windows() throws Exception {
        Seen seen = seen(20, 60_000, 3, 64, 0);
        assertThat(seen.answered).isEqualTo(60);
        assertThat(Capture.of(seen.packets, SERVER).connections())
                .hasSize(20)
                .allSatisfy(connection ->
                        assertThat(connection.sent())
                                .hasSize(180_000)
                                .isEqualTo(connection.echoed()));
    }

    @Tag("long")
    @Test
    @Tag("slow")
    void an_overrun_listener_drops_handshakes_and_no_bytes() throws Exception {
        Seen seen = seen(300, 32, 3, 1, 0);
        // The kernel drops handshakes that do not fit into its queue, and resets their data.
        int ended = seen.endings.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(seen.alive + ended).isEqualTo(300);
        assertThat(seen.endings).doesNotContainKeys(Ending.CORRUPTED, Ending.CLOSED);
        assertThat(seen.answered).isGreaterThanOrEqualTo(3 * seen.alive);
        assertThat(seen.counts.retransmissions).isPositive();
        assertThat(seen.counts.damaged).isZero();
    }

    @Test
    @Tag("slow")
    void messages_come_back_complete_over_a_link_that_loses_packets() throws Exception {
        Seen seen = seen(200, 32, 5, 4096, 0.03);
        assertThat(seen.answered).isEqualTo(1000);
        assertThat(seen.alive).isEqualTo(200);
        assertThat(seen.endings).isEmpty();
        assertThat(seen.counts.retransmissions).isPositive();
        assertThat(seen.counts.damaged).isZero();
        // Packets are lost before the link, so the capture may have gaps; only the bytes are
        // compared.
        assertThat(seen.counts.closedInOrder + seen.counts.aborted).isEqualTo(200);
    }
}
