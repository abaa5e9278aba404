package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record MarkTest(EngineChoice engine) {
    private LoadPlan plan(InetSocketAddress target) {
        return new PlanMaker(target).engine(engine).connections(4).make();
    }

    @Test
    void a_mark_resets_the_counts_and_not_the_progress() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK);
                LoadRun run = LoadRun.start(plan(server.address()))) {
            LoadProgress progress = run.progress();
            EngineTest.await(() -> progress.requests() >= 200);
            run.mark();
            long atMark = progress.requests();
            EngineTest.await(() -> progress.requests() >= atMark + 100);
            double[] values = new double[progress.counters().size() + 1];
            progress.read(values, 1);
            assertThat(values).doesNotContain(Double.NaN);
            Requests outcome = run.finish(Duration.ofSeconds(5));
            assertThat(outcome.connectionsOpened()).isZero();
            assertThat(outcome.answered())
                    .isGreaterThanOrEqualTo(100)
                    .isLessThanOrEqualTo(server.answers.get() - 200);
            assertThat(progress.requests()).isEqualTo(server.answers.get());
        }
    }

    @Test
    void the_time_of_a_connect_counts_only_if_the_connect_began_after_the_mark() throws Exception {
        InetAddress local = InetAddress.getLoopbackAddress();
        // A queue of 1 holds two connections. The kernel drops the handshakes of the others.
        try (ServerSocket server = new ServerSocket(0, 1, local);
                LoadRun run =
                        LoadRun.start(plan(new InetSocketAddress(local, server.getLocalPort())))) {
            EngineTest.await(() -> run.progress().sum(Tally.OPENED) == 2);
            run.mark();
            List<Socket> accepted = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                accepted.add(server.accept());
            }
            EngineTest.await(() -> run.progress().sum(Tally.OPENED) == 4);
            Requests outcome = run.finish(Duration.ofMillis(100));
            for (Socket socket : accepted) {
                socket.close();
            }
            assertThat(outcome.connectionsOpened()).isEqualTo(2);
            assertThat(outcome.times().connectNanos().getTotalCount()).isZero();
        }
    }

    /// Each connection has a request in flight when the load stops.
    @Test
    void answers_after_the_measured_time_count_in_part() {
        try (ScriptedServer server =
                        new ScriptedServer(visit -> {
                            while (visit.readRequest()) {
                                LockSupport.parkNanos(20_000_000);
                                visit.answer(ScriptedServer.OK);
                            }
                        });
                LoadRun run = LoadRun.start(plan(server.address()))) {
            EngineTest.await(() -> run.progress().requests() >= 20);
            Requests outcome = run.finish(Duration.ofSeconds(20));
            assertThat(outcome.inFlight()).isZero();
            assertThat(outcome.outside().good()).isPositive().isLessThan(4);
            assertThat(outcome.throughput())
                    .isEqualTo((outcome.good() - outcome.outside().good()) / outcome.seconds());
        }
    }
}
