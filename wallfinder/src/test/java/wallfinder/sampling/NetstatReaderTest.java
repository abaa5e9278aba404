package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;

class NetstatReaderTest {
    private static final Path RECORDED = Path.of("src/test/resources/sampling/linux-6.18/net");
    private static final Path OWN = Path.of("/proc/thread-self/net");

    @TempDir Path folder;

    @Test
    void a_recording_of_linux_6_18_is_read_completely_under_the_kernels_names() {
        try (NetstatReader reader = new NetstatReader(RECORDED, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .containsEntry("Tcp.ActiveOpens", 0.0 + column("snmp", "Tcp:", "ActiveOpens"))
                    .containsEntry("Tcp.MaxConn", -1.0)
                    .containsEntry("Ip.DefaultTTL", 64.0)
                    .containsEntry(
                            "TcpExt.TCPPureAcks", 0.0 + column("netstat", "TcpExt:", "TCPPureAcks"))
                    .containsEntry("IpExt.InOctets", 0.0 + column("netstat", "IpExt:", "InOctets"))
                    .containsKeys("Udp.RcvbufErrors", "Icmp.InErrors", "MPTcpExt.MPCapableSYNRX")
                    .doesNotContainKey("IcmpMsg.InType3")
                    .doesNotContainValue(Double.NaN);
        }
    }

    @Test
    void levels_are_gauges_and_the_other_figures_only_grow() {
        try (NetstatReader reader = new NetstatReader(RECORDED, End.CLIENT)) {
            assertThat(reader.counters())
                    .extracting(Counter::name, Counter::kind, Counter::source)
                    .contains(
                            tuple("Tcp.CurrEstab", Counter.Kind.GAUGE, "/proc/net/snmp"),
                            tuple("Tcp.RetransSegs", Counter.Kind.CUMULATIVE, "/proc/net/snmp"),
                            tuple(
                                    "TcpExt.ListenOverflows",
                                    Counter.Kind.CUMULATIVE,
                                    "/proc/net/netstat"));
        }
    }

    @Test
    void columns_that_moved_or_are_missing_on_another_kernel_are_found_by_name() throws Exception {
        write("netstat", "TcpExt: ListenDrops New ListenOverflows\nTcpExt: 5 6 7\n");
        write("snmp", "Tcp: CurrEstab\nTcp: 3\n");
        try (NetstatReader reader = new NetstatReader(folder, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .isEqualTo(
                            Map.of(
                                    "TcpExt.ListenDrops", 5.0,
                                    "TcpExt.New", 6.0,
                                    "TcpExt.ListenOverflows", 7.0,
                                    "Tcp.CurrEstab", 3.0));
        }
    }

    @Test
    void datagrams_over_ipv6_are_read_from_a_file_of_their_own() throws Exception {
        write("netstat", "");
        write("snmp", "Udp: InDatagrams\nUdp: 3\n");
        String line = "%-32s\t%d\n";
        write(
                "snmp6",
                line.formatted("Icmp6InDestUnreachs", 5)
                        + line.formatted("Udp6InDatagrams", 6)
                        + line.formatted("Udp6OutDatagrams", 7)
                        + line.formatted("UdpLite6OutDatagrams", 8));
        try (NetstatReader reader = new NetstatReader(folder, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .isEqualTo(
                            Map.of(
                                    "Udp.InDatagrams", 3.0,
                                    "Udp6.OutDatagrams", 7.0,
                                    "Udp6.InDatagrams", 6.0,
                                    "Icmp6.InDestUnreachs", 5.0));
        }
    }

    @Test
    void a_line_that_appears_later_shifts_no_column() throws Exception {
        write("netstat", "TcpExt: A B\nTcpExt: 1 2\n");
        write("snmp", "Icmp: C\nIcmp: 3\nTcp: D\nTcp: 4\n");
        try (NetstatReader reader = new NetstatReader(folder, End.SERVER)) {
            write("snmp", "Icmp: C\nIcmp: 30\nIcmpMsg: InType3\nIcmpMsg: 9\nTcp: D\nTcp: 40\n");
            assertThat(Readings.of(reader))
                    .containsEntry("TcpExt.B", 2.0)
                    .containsEntry("Icmp.C", 30.0)
                    .containsEntry("Tcp.D", 40.0);
        }
    }

    @Test
    void a_truncated_line_gives_nan_instead_of_a_wrong_figure() throws Exception {
        write("netstat", "TcpExt: A B\nTcpExt: 1\nIpExt: C\nIpExt: 3\n");
        write("snmp", "");
        try (NetstatReader reader = new NetstatReader(folder, End.SERVER)) {
            assertThat(Readings.of(reader))
                    .containsEntry("TcpExt.A", 1.0)
                    .containsEntry("TcpExt.B", Double.NaN)
                    .containsEntry("IpExt.C", 3.0);
        }
    }

    @Test
    void a_missing_folder_has_no_counters() {
        try (NetstatReader reader = new NetstatReader(folder.resolve("none"), End.SERVER)) {
            assertThat(reader.counters()).isEmpty();
        }
    }

    @Test
    void overflows_of_an_accept_queue_are_counted_as_they_happen() throws Exception {
        try (NetstatReader reader = new NetstatReader(OWN, End.SERVER);
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            double before = Readings.of(reader).get(KernelCounter.LISTEN_OVERFLOWS.text());
            List<Socket> sockets = overflow(server);
            assertThat(Readings.of(reader).get(KernelCounter.LISTEN_OVERFLOWS.text()))
                    .isGreaterThan(before);
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    @Tag("sandbox")
    void open_files_stay_with_their_namespace_after_its_process_has_ended() throws Exception {
        Process inside =
                new ProcessBuilder("unshare", "-n", "sh", "-c", "echo ready; read x").start();
        try {
            assertThat(inside.inputReader().readLine()).isEqualTo("ready");
            Path net = Path.of("/proc/" + inside.pid() + "/net");
            try (NetstatReader there = new NetstatReader(net, End.SERVER);
                    NetstatReader here = new NetstatReader(OWN, End.CLIENT);
                    ServerSocket server = new ServerSocket(0);
                    Socket client = new Socket("127.0.0.1", server.getLocalPort())) {
                assertThat(client.isConnected()).isTrue();
                assertThat(Readings.of(here).get("Tcp.ActiveOpens")).isPositive();
                assertThat(Readings.of(there)).containsEntry("Tcp.ActiveOpens", 0.0);
                inside.destroyForcibly().waitFor();
                assertThat(Readings.of(there)).containsEntry("Tcp.ActiveOpens", 0.0);
            }
        } finally {
            inside.destroyForcibly();
        }
    }

    private static List<Socket> overflow(ServerSocket server) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Socket socket = new Socket();
            sockets.add(socket);
            try {
                socket.connect(server.getLocalSocketAddress(), 300);
            } catch (SocketTimeoutException e) {
                return sockets;
            }
        }
        throw new AssertionError("the queue of 1 took 4");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    /// Looks up the figure in another way than the reader does.
    private static long column(String file, String line, String name) {
        try {
            List<String[]> pair =
                    Files.readAllLines(RECORDED.resolve(file)).stream()
                            .filter(l -> l.startsWith(line))
                            .map(l -> l.split(" "))
                            .toList();
            return Long.parseLong(pair.get(1)[List.of(pair.get(0)).indexOf(name)]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
