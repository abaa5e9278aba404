package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import wallfinder.linux.NewDestination;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;

/// Real connections from local ports that nothing else uses: a reader counts every program's.
class PortsReaderTest extends ServedTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private static final String USED = PortsFigure.USED.of(PortColumns.BUSIEST).text();
    private static final String LIMIT = PortsFigure.LIMIT.of(PortColumns.BUSIEST).text();
    private static final String CONNECTED = PortsFigure.CONNECTED.of(PortColumns.BUSIEST).text();
    private static final String BUSY = PortsFigure.BUSY.of(PortColumns.BUSIEST).text();

    /// Below the ports that the kernel chooses by default. Each test begins above the last one's
    /// ports, which may be in TIME_WAIT.
    private static int firstFree = 20_000;

    @Test
    void ports_for_the_busiest_destination_are_counted_against_the_range() throws Exception {
        LocalPortRange ours = bind(12);
        connect(sockets);
        try (PortsReader reader = new PortsReader(diag, ours, End.CLIENT)) {
            assertThat(Readings.of(reader)).containsEntry(USED, 12.0).containsEntry(LIMIT, 12.0);
        }
    }

    @Test
    void a_reading_right_after_another_does_not_count_again() throws Exception {
        LocalPortRange ours = bind(5);
        connect(sockets.subList(0, 4));
        try (PortsReader reader = new PortsReader(diag, ours, End.CLIENT, Set.of(), () -> 0)) {
            assertThat(Readings.of(reader)).containsEntry(CONNECTED, 4.0).containsEntry(USED, 4.0);
            connect(sockets.subList(4, 5));
            assertThat(Readings.of(reader))
                    .containsEntry(USED, 4.0)
                    .containsEntry(CONNECTED, Double.NaN);
            assertThat(Readings.inFull(reader))
                    .containsEntry(CONNECTED, 5.0)
                    .containsEntry(USED, 5.0);
        }
    }

    @Test
    void connections_that_wait_for_an_answer_are_busy() throws Exception {
        LocalPortRange ours = bind(8);
        connect(sockets);
        try (PortsReader reader = new PortsReader(diag, ours, End.SERVER)) {
            Readings.waitFor("all are idle", () -> Readings.inFull(reader).get(BUSY) == 0);
            for (Socket socket : sockets.subList(0, 5)) {
                socket.getOutputStream().write('?');
            }
            Readings.waitFor("five wait", () -> Readings.inFull(reader).get(BUSY) == 5);
            try (Socket asked = server.accept()) {
                asked.getOutputStream().write('!');
                Readings.waitFor("four wait", () -> Readings.inFull(reader).get(BUSY) == 4);
                assertThat(Readings.inFull(reader)).containsEntry(CONNECTED, 8.0);
            }
        }
    }

    @Test
    void connections_count_even_if_another_destination_has_more_ports_in_time_wait()
            throws Exception {
        LocalPortRange ours = bind(12);
        leaveInTimeWait(sockets.subList(0, 9));
        connect(sockets.subList(9, 12));
        try (PortsReader reader = new PortsReader(diag, ours, End.SERVER)) {
            assertThat(Readings.inFull(reader))
                    .containsEntry(CONNECTED, 3.0)
                    .containsEntry(USED, 9.0);
        }
    }

    /// The next request goes out, and is acknowledged, in the kernel tick of the last answer, so no
    /// time shows that it came last. The test lasts longer than a delayed acknowledgement.
    @Test
    void connections_that_are_reused_at_once_stay_busy() throws Exception {
        LocalPortRange ours = bind(8);
        connect(sockets);
        for (Socket socket : List.copyOf(sockets)) {
            Socket accepted = server.accept();
            sockets.add(accepted); // the garbage collector closes an unreachable socket
            acknowledgeAtOnce(accepted);
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write('?');
            assertThat(accepted.getInputStream().read()).isEqualTo('?');
            accepted.getOutputStream().write('!');
            assertThat(socket.getInputStream().read()).isEqualTo('!');
            socket.getOutputStream().write('?');
        }
        try (PortsReader reader = new PortsReader(diag, ours, End.SERVER)) {
            long end = System.nanoTime() + 400_000_000L;
            while (System.nanoTime() < end) {
                assertThat(Readings.inFull(reader)).containsEntry(BUSY, 8.0);
            }
        }
    }

    /// Gives each of new sockets its port.
    ///
    /// @return their ports, and no others
    private LocalPortRange bind(int count) throws IOException {
        while (sockets.size() < count) {
            Socket socket = new Socket();
            sockets.add(socket);
            try {
                socket.bind(new InetSocketAddress(LOOPBACK, firstFree++));
            } catch (BindException e) {
                for (Socket bound : sockets) {
                    bound.close();
                }
                sockets.clear();
            }
        }
        return new LocalPortRange(firstFree - count, firstFree - 1, 0);
    }

    private void connect(List<Socket> bound) throws IOException {
        for (Socket socket : bound) {
            socket.connect(server.getLocalSocketAddress());
        }
    }

    /// At another destination.
    private void leaveInTimeWait(List<Socket> bound) throws IOException {
        try (ServerSocket other = NewDestination.listen(diag, 20)) {
            for (Socket closedFirst : bound) {
                closedFirst.connect(other.getLocalSocketAddress());
                try (Socket accepted = other.accept()) {
                    closedFirst.close();
                    assertThat(accepted.getInputStream().read()).isNegative();
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // the option has this type
    private static void acknowledgeAtOnce(Socket socket) throws IOException {
        SocketOption<?> option =
                socket.supportedOptions().stream()
                        .filter(known -> known.name().equals("TCP_QUICKACK"))
                        .findFirst()
                        .orElseThrow();
        socket.setOption((SocketOption<Boolean>) option, true);
    }
}
