package wallfinder.load;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static wallfinder.load.HoldMaker.BOUND;
import static wallfinder.load.HoldMaker.await;
import static wallfinder.load.HoldMaker.fates;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.HoldSpec;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.EnvironmentException;

/// The ports and descriptors of held connections.
@Timeout(120)
class HoldPlacesTest {
    @Test
    void ports_that_others_listen_on_are_skipped() throws IOException {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient);
                ServerSocket _ = new ServerSocket(22_101, 1, InetAddress.getByName("127.0.0.5"));
                ServerSocket _ = new ServerSocket(22_104, 1, InetAddress.getByName("127.0.0.5"))) {
            HoldMaker plan =
                    new HoldMaker(server.address())
                            .connections(6)
                            .kind(HoldSpec.Kind.IDLE)
                            .from("127.0.0.5", 22_100, 22_107);
            assertThat(fates(plan.held(0))).containsExactly(entry("alive", 6L));
            await(() -> server.clientPorts.size() == 6);
            assertThat(server.clientPorts).doesNotContain(22_101, 22_104);
        }
    }

    @Test
    void several_ports_take_turns_and_share_each_source_port() {
        try (Neighbours servers = new Neighbours()) {
            HoldMaker plan = new HoldMaker(servers.first()).targetPorts(2).connections(16);
            try (HoldRun run = plan.kind(HoldSpec.Kind.IDLE).begun()) {
                await(() -> run.settled() && servers.accepted(0) + servers.accepted(1) == 16);
                assertThat(servers.accepted(0)).isEqualTo(8);
                assertThat(servers.sourcePorts()).hasSize(8);
                assertThat(fates(run.finish(BOUND, List::of))).containsExactly(entry("alive", 16L));
            }
        }
    }

    @Test
    void more_connections_than_ports_are_refused() throws IOException {
        InetSocketAddress nobody = new InetSocketAddress("127.0.0.1", 9);
        HoldMaker plan = new HoldMaker(nobody).from("127.0.0.5", 22_100, 22_107);
        HoldPlan tooMany = plan.connections(17).targetPorts(2).make();
        assertThat(refusal(tooMany)).contains("--source 127.0.0.5-127.0.0.6");
        HoldRun.check(plan.connections(16).make());
    }

    private static String refusal(HoldPlan plan) {
        try {
            HoldRun.check(plan);
            return "";
        } catch (EnvironmentException e) {
            return e.todo();
        }
    }

    /// The kernel reports the running timer of each socket: 2 is keepalive.
    @Test
    void the_kernel_probes_silent_connections_if_requested() throws IOException {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient)) {
            HoldMaker plan =
                    new HoldMaker(server.address())
                            .connections(3)
                            .kind(HoldSpec.Kind.IDLE)
                            .keepalive(Duration.ofSeconds(30));
            try (HoldRun run = plan.begun()) {
                await(() -> run.progress().connections() == 3);
                // An earlier test may have left connections to this port in TIME_WAIT.
                String established =
                        String.format(
                                Locale.ROOT, " 0100007F:%04X 01 ", server.address().getPort());
                assertThat(Files.readAllLines(Path.of("/proc/self/net/tcp")))
                        .filteredOn(line -> line.contains(established))
                        .hasSize(3)
                        .allMatch(line -> line.strip().split("\\s+")[5].startsWith("02:"));
            }
        }
    }

    /// On most hosts one descriptor table cannot hold them. The test counts the threads.
    @Tag("slow")
    @Test
    void thirty_thousand_connections_are_held_by_as_many_threads_as_they_need(@TempDir Path folder)
            throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/cc")), "no C compiler here");
        try (Crowd crowd = Crowd.start(folder, 3)) {
            HoldPlan plan =
                    new HoldMaker(crowd.address())
                            .connections(30_000)
                            .threads(0)
                            .kind(HoldSpec.Kind.IDLE)
                            .from("127.0.0.1", 32_768, 60_999)
                            .from("127.0.0.2", 32_768, 60_999)
                            .make();
            assertThat(plan.threads()).isEqualTo(DescriptorTable.limit() < 30_000 ? 2 : 1);
            HoldRun.check(plan);
            try (HoldRun run = HoldRun.prepare(plan)) {
                run.begin();
                await(run::settled);
                AtomicLong asked = new AtomicLong();
                await(() -> crowd.counts().connections() - asked.incrementAndGet() == 30_000);
                assertThat(fates(run.finish(BOUND, List::of)))
                        .containsExactly(entry("alive", 30_000L));
            }
        }
    }

    /// Two servers on adjacent ports.
    private static final class Neighbours implements AutoCloseable {
        private static final int TRIES_MAX = 100;

        private final List<ServerSocket> listeners = new ArrayList<>();
        private final List<List<Socket>> open = List.of(new ArrayList<>(), new ArrayList<>());

        Neighbours() {
            for (int i = 0; i < TRIES_MAX && listeners.size() < 2; i++) {
                close();
                listeners.clear();
                try {
                    listeners.add(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
                    int next = first().getPort() + 1;
                    listeners.add(new ServerSocket(next, 50, InetAddress.getLoopbackAddress()));
                } catch (IOException e) {
                    // The port is taken.
                }
            }
            for (int i = 0; i < 2; i++) {
                int which = i;
                Thread.ofVirtual().start(() -> accept(which));
            }
        }

        private void accept(int which) {
            try {
                while (true) {
                    Socket socket = listeners.get(which).accept();
                    synchronized (open) {
                        open.get(which).add(socket);
                    }
                }
            } catch (IOException e) {
                // closed
            }
        }

        InetSocketAddress first() {
            return (InetSocketAddress) listeners.getFirst().getLocalSocketAddress();
        }

        int accepted(int which) {
            synchronized (open) {
                return open.get(which).size();
            }
        }

        List<Integer> sourcePorts() {
            synchronized (open) {
                return open.stream().flatMap(List::stream).map(Socket::getPort).distinct().toList();
            }
        }

        @Override
        public void close() {
            try {
                for (ServerSocket listener : listeners) {
                    listener.close();
                }
                synchronized (open) {
                    for (List<Socket> sockets : open) {
                        for (Socket socket : sockets) {
                            socket.close();
                        }
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
