package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import wallfinder.linux.Listener;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.SendFigure;

/// Reads accept queues, ports in use and owners of ports, with real sockets.
class SocketReadersTest extends ServedTest {
    /// More than the first 16 segments, which are acknowledged at once.
    private static final int EXCHANGES = 50;

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /// More than the buffers of both ends take.
    private static final int UNREAD_BYTES = 64 << 20;

    private static Listeners.Places on(int port) {
        return Listeners.Places.of(List.of(port));
    }

    private void connect(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            sockets.add(new Socket(LOOPBACK, server.getLocalPort()));
        }
    }

    @Test
    void the_queue_of_a_listener_grows_with_each_unaccepted_connection() throws Exception {
        int port = server.getLocalPort();
        try (ListenReader reader = new ListenReader(diag, End.SERVER, on(port))) {
            assertThat(Readings.of(reader)).containsEntry(ListenFigure.QUEUE.of(port).text(), 0.0);
            connect(5);
            Readings.waitFor(
                    "5 in the queue",
                    () -> Readings.of(reader).get(ListenFigure.QUEUE.of(port).text()) == 5.0);
            assertThat(Readings.of(reader))
                    .containsEntry(ListenFigure.LIMIT.of(port).text(), 20.0)
                    .containsEntry(ListenFigure.DROPS.of(port).text(), 0.0);
        }
    }

    @Test
    void the_fullest_of_several_listeners_on_a_port_counts() throws Exception {
        int port = server.getLocalPort();
        try (ServerSocket other = new ServerSocket(port, 300, InetAddress.getByName("127.0.0.2"));
                ListenReader reader = new ListenReader(diag, End.SERVER, on(port))) {
            connect(3);
            assertThat(other.getLocalPort()).isEqualTo(port);
            sockets.add(new Socket(other.getInetAddress(), port));
            Readings.waitFor(
                    "4 in the queues",
                    () -> Readings.of(reader).get(ListenFigure.QUEUED.of(port).text()) == 4.0);
            assertThat(Readings.of(reader))
                    .containsEntry(ListenFigure.QUEUE.of(port).text(), 3.0)
                    .containsEntry(ListenFigure.LIMIT.of(port).text(), 20.0)
                    .containsEntry(ListenFigure.SOCKETS.of(port).text(), 2.0)
                    .containsEntry(ListenFigure.DROPPING.of(port).text(), 0.0);
        }
    }

    @Test
    void a_listener_of_another_service_on_the_same_port_does_not_count() throws Exception {
        int port = server.getLocalPort();
        InetAddress second = InetAddress.getByName("127.0.0.2");
        try (ServerSocket other = new ServerSocket(port, 300, second);
                ListenReader reader =
                        new ListenReader(
                                diag,
                                End.SERVER,
                                Listeners.placesAt(diag, new InetSocketAddress(second, port), 1))) {
            connect(3);
            assertThat(other.getLocalPort()).isEqualTo(port);
            assertThat(Readings.of(reader))
                    .containsEntry(ListenFigure.LIMIT.of(port).text(), 300.0)
                    .containsEntry(ListenFigure.QUEUE.of(port).text(), 0.0)
                    .containsEntry(ListenFigure.SOCKETS.of(port).text(), 1.0);
        }
    }

    /// Like the kernel: a socket on the very address gets its connections, the one on all addresses
    /// gets the rest.
    @Test
    void the_socket_on_the_address_itself_is_found_before_one_on_all_addresses() throws Exception {
        InetAddress all = InetAddress.getByName("0.0.0.0");
        InetAddress second = InetAddress.getByName("127.0.0.2");
        List<Listener> both = List.of(listener(all, 1), listener(second, 2));
        assertThat(Listeners.accepting(new InetSocketAddress(second, 80), both))
                .extracting(Listener::inode)
                .containsExactly(2L);
        assertThat(Listeners.accepting(new InetSocketAddress(LOOPBACK, 80), both))
                .extracting(Listener::inode)
                .containsExactly(1L);
        assertThat(Listeners.accepting(new InetSocketAddress(LOOPBACK, 80), both.subList(1, 2)))
                .isEmpty();
    }

    private static Listener listener(InetAddress address, long inode) {
        return new Listener(address, 80, 0, 0, 0, inode, 0);
    }

    @Test
    void connections_with_unread_data_are_counted_accepted_or_not() throws Exception {
        int port = server.getLocalPort();
        try (ConnectionsReader reader = new ConnectionsReader(diag, End.SERVER, on(port))) {
            connect(5);
            assertThat(Readings.inFull(reader))
                    .containsEntry(ListenFigure.UNREAD.of(port).text(), 0.0);
            for (Socket socket : sockets.subList(1, 5)) {
                socket.getOutputStream().write(new byte[3]);
            }
            Readings.waitFor("4 unread", () -> unread(reader) == 4);
            List<Socket> accepted = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                accepted.add(server.accept());
            }
            sockets.addAll(accepted);
            assertThat(unread(reader)).isEqualTo(4);
            assertThat(accepted.get(1).getInputStream().readNBytes(3)).hasSize(3);
            assertThat(accepted.get(2).getInputStream().readNBytes(2)).hasSize(2);
            assertThat(unread(reader)).isEqualTo(3);
        }
    }

    /// Nobody reads what is sent, so first the window is used up. Then the rest stays in the
    /// buffer.
    @Test
    void the_time_in_which_a_window_is_used_up_is_counted() throws Exception {
        int port = server.getLocalPort();
        try (ConnectionsReader reader = new ConnectionsReader(diag, End.SERVER, on(port))) {
            connect(1);
            Socket sender = server.accept();
            sockets.add(sender);
            assertThat(Readings.inFull(reader)).containsEntry(SendFigure.BUSY.of(port).text(), 0.0);
            Thread writing = Thread.ofVirtual().start(() -> write(sender));
            Readings.waitFor("the window is used up", () -> windowLimited(reader) > 0);
            assertThat(Readings.inFull(reader).get(SendFigure.BUSY.of(port).text()))
                    .isGreaterThan(0);
            sockets.getFirst().close(); // ends the writer
            writing.join();
        }
    }

    private static void write(Socket sender) {
        try {
            sender.getOutputStream().write(new byte[UNREAD_BYTES]);
        } catch (IOException e) {
            // The other end was closed, as the test does when it has seen enough.
        }
    }

    private double windowLimited(ConnectionsReader reader) {
        int port = server.getLocalPort();
        return Readings.inFull(reader).get(SendFigure.WINDOW_LIMITED.of(port).text());
    }

    private double unread(ConnectionsReader reader) {
        return Readings.inFull(reader).get(ListenFigure.UNREAD.of(server.getLocalPort()).text());
    }

    /// The client has nothing to send, so its kernel acknowledges late. The first segments of a
    /// connection are acknowledged at once.
    @Test
    void bytes_behind_an_unacknowledged_segment_are_held_back() throws Exception {
        assertThat(heldBackSometimes(false)).isTrue();
        assertThat(heldBackSometimes(true)).isFalse();
    }

    /// Exchanges messages of one byte for answers in two segments, like a service.
    private boolean heldBackSometimes(boolean noDelay) throws Exception {
        try (ConnectionsReader reader =
                        new ConnectionsReader(diag, End.SERVER, on(server.getLocalPort()));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket served = server.accept()) {
            served.setTcpNoDelay(noDelay);
            boolean held = false;
            for (int i = 0; i < EXCHANGES && !held; i++) {
                client.getOutputStream().write(1);
                assertThat(served.getInputStream().read()).isEqualTo(1);
                served.getOutputStream().write(1);
                served.getOutputStream().write(2);
                String key = ListenFigure.HELD_BACK.of(server.getLocalPort()).text();
                held = Readings.inFull(reader).get(key) == 1;
                assertThat(client.getInputStream().readNBytes(2)).hasSize(2);
            }
            return held;
        }
    }

    @Test
    void a_port_without_a_listener_reads_as_nan() throws Exception {
        int port = server.getLocalPort();
        server.close();
        try (ListenReader reader = new ListenReader(diag, End.SERVER, on(port))) {
            assertThat(Readings.of(reader).values()).hasSize(6).allMatch(v -> v.isNaN());
        }
    }

    @Test
    void the_owner_of_a_port_is_found_with_its_command_line() {
        assertThat(Listeners.ownerOf(server.getLocalPort()))
                .isInstanceOfSatisfying(
                        Listeners.Owner.Found.class,
                        found -> {
                            assertThat(found.pid()).isEqualTo(ProcessHandle.current().pid());
                            assertThat(found.command()).contains("java");
                        });
    }

    @Test
    void a_port_without_a_listener_has_no_owner_but_a_reason() throws Exception {
        server.close();
        assertThat(Listeners.ownerOf(server.getLocalPort()))
                .isInstanceOfSatisfying(
                        Listeners.Owner.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains("nothing listens"));
    }

    @Test
    void own_addresses_are_local_and_others_are_not() throws Exception {
        assertThat(LocalAddresses.isLocal(LOOPBACK)).isTrue();
        assertThat(LocalAddresses.isLocal(InetAddress.getByName("127.3.2.1"))).isTrue();
        assertThat(LocalAddresses.isLocal(InetAddress.getByName("::1"))).isTrue();
        assertThat(LocalAddresses.isLocal(InetAddress.getByName("192.0.2.1"))).isFalse();
    }

    @Test
    void connections_to_another_service_on_the_same_port_do_not_count() throws Exception {
        int port = server.getLocalPort();
        InetAddress second = InetAddress.getByName("127.0.0.2");
        try (ServerSocket other = new ServerSocket(port, 20, second)) {
            Listeners.Places ours =
                    Listeners.placesAt(diag, new InetSocketAddress(LOOPBACK, port), 1);
            Listeners.Places theirs =
                    Listeners.placesAt(
                            diag, new InetSocketAddress(other.getInetAddress(), port), 1);
            try (ConnectionsReader reader = new ConnectionsReader(diag, End.SERVER, ours);
                    ConnectionsReader others = new ConnectionsReader(diag, End.SERVER, theirs)) {
                connect(2);
                for (int i = 0; i < 3; i++) {
                    sockets.add(new Socket(second, port));
                }
                for (Socket socket : sockets) {
                    socket.getOutputStream().write('?');
                }
                Readings.waitFor("2 unread", () -> unread(reader) == 2);
                Readings.waitFor("3 unread there", () -> unread(others) == 3);
            }
        }
    }

    /// Another program has a connection to the same destination and waits for an answer there.
    @Test
    void on_a_shared_network_only_the_services_own_connections_count() throws Exception {
        String connect = "exec %d<>/dev/tcp/127.0.0.1/" + server.getLocalPort() + "; ";
        String two = connect.formatted(3) + connect.formatted(4);
        String name = "127.0.0.1:" + server.getLocalPort();
        String connections = DependencyFigure.CONNECTIONS.of(name).text();
        String busy = DependencyFigure.BUSY.of(name).text();
        Process service = bash(two + "echo; read; echo ? >&4; " + connect.formatted(5) + "read");
        Process other = bash(connect.formatted(3) + "echo ? >&3; echo; read");
        try (DependenciesReader reader = dependencies(service.pid());
                DependenciesReader others = dependencies(other.pid())) {
            Readings.waitFor("theirs waits", () -> Readings.inFull(others).get(busy) == 1);
            assertThat(Readings.inFull(others)).containsEntry(connections, 1.0);
            assertThat(Readings.inFull(reader)).containsEntry(connections, 2.0);
            Readings.waitFor("ours are idle", () -> Readings.inFull(reader).get(busy) == 0);
            service.outputWriter().write("go on\n");
            service.outputWriter().flush();
            Readings.waitFor("ours waits", () -> Readings.inFull(reader).get(busy) == 1);
            Readings.waitFor("a third one", () -> Readings.inFull(reader).get(connections) == 3);
            assertThat(Readings.inFull(reader))
                    .containsEntry(PortsFigure.CONNECTED.of(PortColumns.BUSIEST).text(), 3.0)
                    .containsEntry(PortsFigure.BUSY.of(PortColumns.BUSIEST).text(), 1.0);
            assertThat(Readings.inFull(others)).containsEntry(connections, 1.0);
        } finally {
            service.destroy();
            other.destroy();
        }
    }

    /// All programs share the ports towards a destination, and no program has those in TIME_WAIT.
    @Test
    void on_a_shared_network_all_ports_towards_the_services_destination_count() throws Exception {
        leaveInTimeWait(server, 9);
        try (ServerSocket another = new ServerSocket(0, 20, LOOPBACK)) {
            leaveInTimeWait(another, 12);
        }
        Process service =
                bash("echo; read; exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort() + "; read");
        String used = PortsFigure.USED.of(PortColumns.BUSIEST).text();
        try (DependenciesReader reader = dependencies(service.pid())) {
            assertThat(Readings.inFull(reader))
                    .containsEntry(used, 0.0)
                    .containsEntry(PortsFigure.LIMIT.of(PortColumns.BUSIEST).text(), 64_512.0);
            service.outputWriter().write("go on\n");
            service.outputWriter().flush();
            Readings.waitFor("it is connected", () -> Readings.inFull(reader).get(used) == 10);
        } finally {
            service.destroy();
        }
    }

    private static void leaveInTimeWait(ServerSocket to, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            try (Socket closedFirst = new Socket(LOOPBACK, to.getLocalPort());
                    Socket accepted = to.accept()) {
                closedFirst.close();
                assertThat(accepted.getInputStream().read()).isNegative();
            }
        }
    }

    /// Such as a proxy that opens a connection for each request.
    @Test
    void a_destination_that_the_service_connects_to_later_gets_its_figures() throws Exception {
        String address = "127.0.0.1:" + server.getLocalPort();
        String connections = DependencyFigure.CONNECTIONS.of(address).text();
        Process service =
                bash("echo; read; exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort() + "; read");
        try (DependenciesReader reader = dependencies(service.pid())) {
            assertThat(Readings.inFull(reader))
                    .doesNotContainKey(connections)
                    .containsEntry(DependencyFigure.CONNECTIONS.of("#1").text(), 0.0);
            assertThat(reader.found()).hasSize(4);
            int columns = reader.counters().size();
            service.outputWriter().write("go on\n");
            service.outputWriter().flush();
            Readings.waitFor(
                    "it has figures",
                    () -> Readings.inFull(reader).getOrDefault(connections, 0.0) == 1);
            assertThat(reader.counters()).hasSize(columns);
            assertThat(reader.found())
                    .hasSize(6)
                    .anyMatch(counter -> counter.key().text().equals(connections));
        } finally {
            service.destroy();
        }
    }

    /// Starts a program that prints a line when its connections are open.
    private static Process bash(String script) throws IOException {
        Process process = new ProcessBuilder("bash", "-c", script).start();
        assertThat(process.inputReader().readLine()).isEmpty();
        return process;
    }

    private DependenciesReader dependencies(long pid) {
        LocalPortRange all = new LocalPortRange(1_024, 65_535, 0);
        return new DependenciesReader(
                diag, all, End.SERVER, new OwnSockets(() -> new long[] {pid}), Set.of());
    }
}
