package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SockDiagTest {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private static Listener on(SockDiag diag, int port) {
        return find(diag, port).orElseThrow();
    }

    private static Optional<Listener> find(SockDiag diag, int port) {
        return diag.listeners().stream().filter(l -> l.port() == port).findFirst();
    }

    @Test
    void a_full_accept_queue_reports_its_length_limit_and_drops() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = new ServerSocket(0, 2, LOOPBACK)) {
            assertThat(on(diag, server.getLocalPort()).queue()).isZero();

            List<Socket> clients = connect(server, 3);
            waitFor(() -> on(diag, server.getLocalPort()).queue() == 3);
            assertThat(on(diag, server.getLocalPort()).drops()).isZero();
            Socket oneTooMany = new Socket();
            assertThatThrownBy(() -> oneTooMany.connect(server.getLocalSocketAddress(), 300))
                    .isInstanceOf(SocketTimeoutException.class);

            Listener listener = on(diag, server.getLocalPort());
            assertThat(listener.limit()).isEqualTo(2);
            assertThat(listener.queue()).isEqualTo(3);
            assertThat(listener.drops()).isPositive();
            assertThat(listener.inode()).isPositive();
            close(clients);
        }
    }

    @Test
    void established_sockets_are_counted_by_the_port_of_either_end() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = new ServerSocket(0, 5, LOOPBACK)) {
            int port = server.getLocalPort();
            assertThat(diag.established(PortOf.THIS_END, port, port)).isZero();

            List<Socket> clients = connect(server, 3);
            waitFor(() -> diag.established(PortOf.THIS_END, port, port) == 3);

            assertThat(diag.established(PortOf.OTHER_END, port, port)).isEqualTo(3);
            assertThat(diag.established(PortOf.OTHER_END, port, port + 1)).isEqualTo(3);
            int own = clients.getFirst().getLocalPort();
            assertThat(diag.established(PortOf.OTHER_END, own, own)).isEqualTo(1);
            clients.getFirst().close();
            waitFor(() -> diag.established(PortOf.THIS_END, port, port) == 2);
            assertThat(diag.established(PortOf.OTHER_END, port, port)).isEqualTo(2);
            close(clients);
        }
    }

    @Test
    void an_ipv4_address_is_shown_as_ipv4_even_if_the_socket_has_version_6() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress("127.0.0.1", 0)); // Java's sockets are dual-stack

            Listener listener = on(diag, server.getLocalPort());
            assertThat(listener.address()).isEqualTo(InetAddress.getByName("127.0.0.1"));
        }
    }

    @Test
    void a_connection_to_a_unix_socket_has_the_name_of_its_listener_accepted_or_not(
            @TempDir Path folder) throws Exception {
        Path path = folder.resolve("listener");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        try (SockDiag diag = SockDiag.open();
                ServerSocketChannel server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            assertThat(to(diag, path)).isEmpty();
            SocketChannel accepted = SocketChannel.open(address);
            SocketChannel other = server.accept();
            List<UnixConnection> one = to(diag, path);
            assertThat(one).hasSize(1);
            SocketChannel waiting = SocketChannel.open(address);
            assertThat(to(diag, path)).hasSize(2).containsAll(one);
            accepted.close();
            assertThat(to(diag, path)).hasSize(1).doesNotContainAnyElementsOf(one);
            waiting.close();
            other.close();
        }
    }

    private static List<UnixConnection> to(SockDiag diag, Path path) {
        return diag.unixConnections().stream()
                .filter(one -> one.name().equals(path.toString()))
                .toList();
    }

    @Test
    void a_closed_listener_disappears_and_a_closed_sock_diag_fails() throws Exception {
        SockDiag diag = SockDiag.open();
        int port;
        try (ServerSocket server = new ServerSocket(0)) {
            port = server.getLocalPort();
            assertThat(find(diag, port)).isPresent();
        }
        assertThat(find(diag, port)).isEmpty();

        diag.close();
        assertThatThrownBy(diag::listeners)
                .isInstanceOf(SyscallException.class)
                .hasMessageContaining("EBADF");
    }

    @Test
    void ports_are_counted_by_destination_including_time_wait() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket one = NewDestination.listen(diag, 50);
                ServerSocket other = NewDestination.listen(diag, 50)) {
            List<Socket> held = connect(one, 20);
            leaveInTimeWait(other, 7);

            PortsInUse ports = new PortsInUse();
            diag.portsInUse(1024, 65535, ports);
            assertThat(ports.used(address(one))).isEqualTo(20);
            assertThat(ports.used(address(other))).isEqualTo(7);
            assertThat(ports.used(new InetSocketAddress(LOOPBACK, 1))).isZero();
            assertThat(ports.busiestUsed()).isGreaterThanOrEqualTo(20);

            diag.portsInUse(1, 1, ports);
            assertThat(ports.busiestUsed()).isZero();
            close(held);
        }
    }

    /// As a log does that is sent to a collector.
    @Test
    void a_connection_on_which_nothing_ever_comes_back_waits_for_no_answer() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = NewDestination.listen(diag, 50);
                Socket client = new Socket(LOOPBACK, server.getLocalPort());
                Socket accepted = server.accept()) {
            client.setTcpNoDelay(true);
            client.getOutputStream().write(1);
            assertThat(accepted.getInputStream().read()).isEqualTo(1);
            assertThat(busy(diag, server)).isEqualTo(1);
            for (int i = 0; i < 100; i++) {
                client.getOutputStream().write(1);
                assertThat(accepted.getInputStream().read()).isEqualTo(1);
            }
            assertThat(busy(diag, server)).isZero();
            accepted.getOutputStream().write(1);
            assertThat(client.getInputStream().read()).isEqualTo(1);
            client.getOutputStream().write(1);
            assertThat(busy(diag, server)).isEqualTo(1);
        }
    }

    /// Each exchange takes much less than a kernel tick.
    @Test
    void a_connection_that_has_its_answer_does_not_wait() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = NewDestination.listen(diag, 50);
                Socket client = new Socket(LOOPBACK, server.getLocalPort());
                Socket accepted = server.accept()) {
            for (int i = 0; i < 20; i++) {
                client.getOutputStream().write(1);
                assertThat(accepted.getInputStream().read()).isEqualTo(1);
                accepted.getOutputStream().write(1);
                assertThat(client.getInputStream().read()).isEqualTo(1);
                assertThat(busy(diag, server)).isZero();
            }
        }
    }

    private static int busy(SockDiag diag, ServerSocket server) {
        PortsInUse ports = new PortsInUse();
        diag.portsInUse(1024, 65535, ports);
        return ports.busy(address(server));
    }

    @Test
    void the_kernel_filters_by_both_ends_of_the_range() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = NewDestination.listen(diag, 50);
                Socket client = new Socket(LOOPBACK, server.getLocalPort())) {
            int port = client.getLocalPort();
            PortsInUse ports = new PortsInUse();
            diag.portsInUse(port, port, ports);
            assertThat(ports.used(address(server))).isEqualTo(1);
            diag.portsInUse(port + 1, 65535, ports);
            assertThat(ports.used(address(server))).isZero();
            diag.portsInUse(1, port - 1, ports);
            assertThat(ports.used(address(server))).isZero();
        }
    }

    @Test
    void sockets_are_counted_by_state() throws Exception {
        try (SockDiag diag = SockDiag.open();
                ServerSocket server = new ServerSocket(0, 50, LOOPBACK)) {
            List<Socket> held = connect(server, 20);

            assertThat(diag.countByState().get(TcpState.ESTABLISHED)).isGreaterThanOrEqualTo(40);
            assertThat(diag.countByState().get(TcpState.LISTEN)).isPositive();
            close(held);
        }
    }

    @Test
    @Tag("sandbox")
    void a_sock_diag_stays_in_the_namespace_of_the_thread_that_opened_it() throws Exception {
        FutureTask<SockDiag> opened = new FutureTask<>(SockDiagTest::openInNewNamespace);
        Thread.ofPlatform().start(opened);
        try (SockDiag elsewhere = opened.get();
                SockDiag here = SockDiag.open();
                ServerSocket server = new ServerSocket(0)) {
            assertThat(find(here, server.getLocalPort())).isPresent();
            assertThat(elsewhere.listeners()).isEmpty();
        }
    }

    private static SockDiag openInNewNamespace() throws Exception {
        NativeFunction unshare = NativeFunction.ofInt("unshare");
        assertThat(unshare.call(Syscall.errnoSegment(), CLONE_NEWNET)).isZero();
        return SockDiag.open();
    }

    private static InetSocketAddress address(ServerSocket server) {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static List<Socket> connect(ServerSocket server, int count) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(new Socket(LOOPBACK, server.getLocalPort()));
        }
        return sockets;
    }

    private static void leaveInTimeWait(ServerSocket server, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (Socket client = new Socket(LOOPBACK, server.getLocalPort());
                    Socket accepted = server.accept()) {
                client.close(); // the end that closes first goes to TIME_WAIT
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static void waitFor(BooleanSupplier fact) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
            Thread.onSpinWait();
        }
    }
}
