package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(300)
class ManyConnectionsTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final InetSocketAddress NOBODY = new InetSocketAddress("127.0.0.1", 9);

    @TempDir Path folder;

    /// More connections than one process has descriptors for, and one address has ports for.
    @Tag("slow")
    @Test
    void forty_thousand_connections_are_open_and_answer() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/cc")), "no C compiler here");
        boolean ownTables = DescriptorTable.limit() < 40_000;
        try (Crowd crowd = Crowd.start(folder, 4)) {
            PlanMaker plan =
                    new PlanMaker(crowd.address())
                            .connections(40_000)
                            .threads(6)
                            .timeout(LONG)
                            .sources("127.0.0.1", "127.0.0.2")
                            .ports(32_768, 60_999);
            LoadRun.check(plan.make());
            try (LoadRun run = LoadRun.start(plan.make())) {
                await(() -> run.progress().connections() == 40_000 || run.progress().errors() > 0);
                assertThat(descriptors() < 1_000).isEqualTo(ownTables);
                long before = run.progress().requests();
                await(() -> run.progress().requests() >= before + 80_000);
                Requests outcome = run.finish(LONG);
                assertThat(outcome.errors()).isEmpty();
                assertThat(outcome.inFlight()).isZero();
                assertThat(outcome.connectionsOpened()).isEqualTo(40_000);
                assertThat(outcome.times().connectNanos().getTotalCount()).isEqualTo(40_000);
                assertThat(crowd.counts()).isEqualTo(new Crowd.Counts(40_001, outcome.answered()));
            }
        }
    }

    @Test
    void ports_that_others_listen_on_are_skipped() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK);
                ServerSocket first = listener(22_001);
                ServerSocket second = listener(22_004)) {
            assertThat(first.getLocalPort() + 3).isEqualTo(second.getLocalPort());
            PlanMaker plan =
                    new PlanMaker(server.address())
                            .connections(6)
                            .threads(2)
                            .sources("127.0.0.5")
                            .ports(22_000, 22_007);
            try (LoadRun run = LoadRun.start(plan.make())) {
                await(() -> run.progress().connections() == 6 || run.progress().errors() > 0);
                Requests outcome = run.finish(LONG);
                assertThat(outcome.errors()).isEmpty();
                assertThat(server.clientPorts).hasSize(6).doesNotContain(22_001, 22_004);
            }
        }
    }

    private static ServerSocket listener(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByName("127.0.0.5"));
    }

    @Test
    void more_connections_than_the_threads_have_descriptors_for_are_refused() {
        PlanMaker plan = new PlanMaker(NOBODY).threads(2);
        long limit = DescriptorTable.limit();
        int tooMany = (int) Math.min(1_000_000, 2 * limit + 1);
        SocketBudget room = new SocketBudget(plan.connections(tooMany).make(), 20_000, 100);
        assertThat(room.separateTables()).isTrue();
        assertThatThrownBy(() ->
                        new SocketBudget(plan.connections(100_000).make(), 20_000, 100).check())
                .isInstanceOfSatisfying(
                        EnvironmentException.class,
                        e -> {
                            assertThat(e.what()).contains("100,000 connections");
                            assertThat(e.why()).contains("20,000").contains("19,892");
                            assertThat(e.todo()).contains("-t 6");
                        });
        new SocketBudget(plan.connections(100_000).threads(6).make(), 20_000, 100).check();
        new SocketBudget(plan.connections(19_000).threads(1).make(), 20_000, 100).check();
    }

    @Test
    void only_plans_that_need_them_get_separate_descriptor_tables() {
        PlanMaker plan = new PlanMaker(NOBODY).threads(2);
        assertThat(new SocketBudget(plan.connections(19_600).make(), 20_000, 100).separateTables())
                .isFalse();
        assertThat(new SocketBudget(plan.connections(19_700).make(), 20_000, 100).separateTables())
                .isTrue();
    }

    @Test
    void more_connections_than_the_sources_have_ports_for_are_refused_with_the_range_to_use() {
        PlanMaker plan = new PlanMaker(NOBODY).threads(6).ports(32_768, 60_999);
        assertThatThrownBy(() ->
                        new SocketBudget(plan.connections(40_000).make(), 1_000_000, 100).check())
                .isInstanceOfSatisfying(
                        EnvironmentException.class,
                        e -> {
                            assertThat(e.what()).contains("40,000 connections to 127.0.0.1");
                            assertThat(e.why()).contains("28,232 ports (32768-60999");
                            assertThat(e.todo()).isEqualTo("use --source 127.0.0.1-127.0.0.2");
                        });
        plan.sources("127.0.0.1", "127.0.0.2");
        new SocketBudget(plan.make(), 1_000_000, 100).check();
        assertThatThrownBy(() ->
                        new SocketBudget(plan.connections(56_464).make(), 1_000_000, 100).check())
                .hasMessageContaining("56,464");
    }

    private static int descriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? Integer.MAX_VALUE : names.length;
    }

    private static void await(BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }
}
