package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;
import wallfinder.observation.End;

@Tag("sandbox")
class SandboxTest {
    @TempDir Path folder;
    private RunLock run;

    @BeforeEach
    void start() {
        run = RunLock.hold(Sandboxes.runId());
    }

    @AfterEach
    void end() {
        run.close();
    }

    private Sandbox open(SandboxSpec spec) {
        return Sandbox.open(spec, run, folder, Sandboxes.sharedCpus());
    }

    @Test
    void the_ends_communicate_and_each_has_its_own_counters() throws Exception {
        try (Sandbox sandbox = open(Sandboxes.PLAIN);
                ServerSocket listener =
                        sandbox.inside(
                                End.SERVER, () -> new ServerSocket(0, 50, server(sandbox)))) {
            assertThat(sandbox.isolation()).isIn("namespaces", "user-namespaces");
            for (InetAddress source : sandbox.sourceAddresses()) {
                connect(sandbox, listener, source);
            }
            int connections = sandbox.sourceAddresses().size();
            assertThat(connections).isGreaterThanOrEqualTo(16);
            assertThat(passiveOpens(sandbox.procNet(End.SERVER))).isEqualTo(connections);
            assertThat(passiveOpens(sandbox.procNet(End.CLIENT))).isZero();
        }
    }

    private static InetAddress server(Sandbox sandbox) throws Exception {
        return InetAddress.getByName(Sandboxes.server(sandbox));
    }

    private static void connect(Sandbox sandbox, ServerSocket listener, InetAddress source)
            throws Exception {
        try (Socket client =
                sandbox.inside(
                        End.CLIENT,
                        () -> new Socket(server(sandbox), listener.getLocalPort(), source, 0))) {
            try (Socket accepted = listener.accept()) {
                client.getOutputStream().write(42);
                assertThat(accepted.getInputStream().read()).isEqualTo(42);
                assertThat(accepted.getInetAddress()).isEqualTo(source);
            }
        }
    }

    private static long passiveOpens(Path procNet) throws Exception {
        List<String[]> tcp =
                KernelFile.lines(procNet.resolve("snmp")).stream()
                        .filter(line -> line.startsWith("Tcp:"))
                        .map(line -> line.split(" "))
                        .toList();
        return Long.parseLong(tcp.get(1)[List.of(tcp.get(0)).indexOf("PassiveOpens")]);
    }

    /// The first address that is not link-local. The fourth word is the scope.
    private static InetAddress addressV6(Path procNet) throws Exception {
        String[] words =
                KernelFile.lines(procNet.resolve("if_inet6")).stream()
                        .map(line -> line.split(" +"))
                        .filter(line -> line[3].equals("00"))
                        .findFirst()
                        .orElseThrow();
        return InetAddress.getByAddress(HexFormat.of().parseHex(words[0]));
    }

    @Test
    void the_ends_communicate_over_ipv6() throws Exception {
        try (Sandbox sandbox = open(Sandboxes.PLAIN)) {
            InetAddress address = addressV6(sandbox.procNet(End.SERVER));
            try (ServerSocket listener =
                            sandbox.inside(End.SERVER, () -> new ServerSocket(0, 1, address));
                    Socket client =
                            sandbox.inside(
                                    End.CLIENT,
                                    () -> new Socket(address, listener.getLocalPort()))) {
                assertThat(((InetSocketAddress) client.getRemoteSocketAddress()).getAddress())
                        .isEqualTo(address);
            }
        }
    }

    @Test
    void a_sysctl_set_inside_changes_neither_the_host_nor_the_other_end() {
        String host = Sysctls.read("net.core.somaxconn");
        SandboxSpec spec =
                new SandboxSpec(
                        Map.of("net.core.somaxconn", "77"),
                        Map.of("net.ipv4.ip_local_port_range", "15000 64000"));
        try (Sandbox sandbox = open(spec)) {
            assertThat(sandbox.sysctls(End.SERVER)).containsEntry("net.core.somaxconn", "77");
            assertThat(sandbox.sysctls(End.CLIENT))
                    .containsEntry("net.ipv4.ip_local_port_range", "15000 64000")
                    .doesNotContainEntry("net.core.somaxconn", "77")
                    .containsKeys("net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_syncookies");
        }
        assertThat(Sysctls.read("net.core.somaxconn")).isEqualTo(host);
    }

    @Test
    void both_ends_have_ipv6_addresses_if_the_experiment_asks_for_them() {
        try (Sandbox sandbox = open(new SandboxSpec(Map.of(), Map.of(), null, null, true))) {
            assertThat(sandbox.names(Map.of()).get("server")).contains(":");
            assertThat(sandbox.names(Map.of()).get("client")).contains(":");
            assertThat(sandbox.sourceAddresses(300))
                    .hasSize(300)
                    .doesNotHaveDuplicates()
                    .allMatch(address -> address instanceof Inet6Address);
        }
    }

    @Test
    void the_error_for_an_unknown_sysctl_names_the_nearest_one() {
        SandboxSpec spec = new SandboxSpec(Map.of("net.core.somaxcon", "77"), Map.of());
        assertThatThrownBy(() -> open(spec))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        e -> assertThat(e.todo()).contains("net.core.somaxconn"));
    }

    @Test
    void a_sysctl_of_the_whole_host_is_refused_and_not_changed() {
        String host = Sysctls.read("fs.file-max");
        for (String global : List.of("fs.file-max", "net.core.netdev_max_backlog")) {
            SandboxSpec spec = new SandboxSpec(Map.of(global, "5000"), Map.of());
            assertThatThrownBy(() -> open(spec))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining(global);
        }
        assertThat(Sysctls.read("fs.file-max")).isEqualTo(host);
    }

    @Test
    void the_error_for_a_refused_value_names_the_sysctl_and_the_value() {
        SandboxSpec spec = new SandboxSpec(Map.of("net.core.somaxconn", "many"), Map.of());
        assertThatThrownBy(() -> open(spec))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("net.core.somaxconn")
                .hasMessageContaining("many");
    }

    @Test
    void a_sysctl_that_cannot_be_written_is_refused_as_read_only() {
        SandboxSpec spec =
                new SandboxSpec(
                        Map.of("net.ipv4.tcp_available_congestion_control", "reno"), Map.of());
        assertThatThrownBy(() -> open(spec))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("read-only in a network namespace");
    }

    @Test
    void a_closed_sandbox_leaves_no_thread_and_no_descriptor_of_its_namespaces() throws Exception {
        Set<String> namespaces = new HashSet<>();
        try (Sandbox sandbox = open(Sandboxes.PLAIN)) {
            for (End end : List.of(End.SERVER, End.CLIENT)) {
                Path holder = Path.of("/proc/self/task/" + sandbox.holderTid(end) + "/ns/net");
                namespaces.add(Files.readSymbolicLink(holder).toString());
            }
            Sandboxes.start(
                    sandbox,
                    Sandboxes.service(
                            "short",
                            "sh -c 'echo up; exec sleep 1000'",
                            Limits.NONE,
                            new Readiness.Log("up")));
            // A thread that has finished its work inside may not have left the kernel yet.
            Wait.until(
                    Duration.ofSeconds(10), () -> KillRounds.holders(namespaces).size() <= 2 + 1);
            assertThat(KillRounds.holders(namespaces)).hasSize(2 + 1);
        }
        Wait.until(Duration.ofSeconds(10), () -> KillRounds.holders(namespaces).isEmpty());
        assertThat(KillRounds.holders(namespaces)).isEmpty();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(descriptors.map(SandboxTest::target))
                    .doesNotContainAnyElementsOf(namespaces);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
