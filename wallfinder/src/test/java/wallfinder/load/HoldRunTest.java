package wallfinder.load;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.load.HoldMaker.BOUND;
import static wallfinder.load.HoldMaker.await;
import static wallfinder.load.HoldMaker.fates;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.HoldSpec;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Held;

@Timeout(120)
class HoldRunTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int MESSAGE = 32;

    private final Set<Long> messages = ConcurrentHashMap.newKeySet();
    private final AtomicLong echoed = new AtomicLong();

    /// Reads messages of 32 bytes and decides what to send back.
    private interface Answer {
        void give(ScriptedServer.Visit visit, long message, byte[] bytes) throws IOException;
    }

    private ScriptedServer echoing(Answer answer) {
        return new ScriptedServer(visit -> {
            byte[] bytes = visit.in.readNBytes(MESSAGE);
            for (long message = 1; bytes.length == MESSAGE; message++) {
                messages.add(ByteBuffer.wrap(bytes).getLong());
                echoed.incrementAndGet();
                answer.give(visit, message, bytes);
                bytes = visit.in.readNBytes(MESSAGE);
            }
        });
    }

    private ScriptedServer echoing() {
        return echoing((visit, _, bytes) -> visit.out.write(bytes));
    }

    private static List<String> faults(Held outcome) {
        return outcome.hold().faults();
    }

    @Test
    void each_connection_is_established_and_no_two_messages_are_equal() {
        try (ScriptedServer server = echoing()) {
            Held outcome = new HoldMaker(server.address()).threads(2).held(200);
            assertThat(fates(outcome)).containsExactly(entry("alive", 10L));
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.connectionsOpened()).isEqualTo(10);
            assertThat(outcome.inFlight()).isZero();
            assertThat(outcome.sent()).isEqualTo(outcome.answered()).isEqualTo(echoed.get());
            assertThat(messages).hasSize((int) echoed.get());
            assertThat(outcome.times().serviceNanos().getTotalCount())
                    .isBetween(1L, outcome.answered() - 10);
            LoadOutcome.Hold hold = outcome.hold();
            assertThat(hold.firstAnswerNanos().getTotalCount()).isEqualTo(10);
            assertThat(hold.stateBytes()).isLessThanOrEqualTo(32);
            assertThat(hold.rssBytes()).isPositive();
        }
    }

    /// A message without an answer makes the end wait, and nothing is sent meanwhile.
    @Test
    void the_wait_for_the_last_answers_belongs_to_no_rate() {
        Duration wait = Duration.ofSeconds(4);
        try (ScriptedServer server =
                        echoing((visit, message, bytes) -> {
                            if (visit.number > 1 || message < 3) {
                                visit.out.write(bytes);
                            }
                        });
                HoldRun run = new HoldMaker(server.address()).begun()) {
            await(() -> run.settled() && run.progress().requests() >= 50);
            Held outcome = run.finish(wait, List::of);
            assertThat(outcome.inFlight()).isEqualTo(1);
            assertThat(outcome.seconds()).isLessThan(wait.toSeconds());
            assertThat(outcome.hold().heldSeconds()).isLessThan(wait.toSeconds());
        }
    }

    @Test
    void without_an_interval_the_next_message_follows_the_answer() {
        try (ScriptedServer server = echoing()) {
            Held outcome = new HoldMaker(server.address()).interval(Duration.ZERO).held(5_000);
            assertThat(fates(outcome)).containsExactly(entry("alive", 10L));
            assertThat(outcome.loop()).isInstanceOf(LoadOutcome.Loop.Closed.class);
            assertThat(messages).hasSize((int) outcome.answered());
        }
    }

    @Test
    void a_wrong_byte_is_found_and_described() {
        try (ScriptedServer server =
                echoing((visit, message, bytes) -> {
                    if (visit.number == 3 && message == 2) {
                        bytes[29] ^= (byte) 4;
                    }
                    visit.out.write(bytes);
                })) {
            Held outcome = new HoldMaker(server.address()).failed(1);
            assertThat(fates(outcome)).contains(entry("alive", 9L), entry("corrupted", 1L));
            assertThat(faults(outcome).getFirst()).contains("byte 29 of the answer");
        }
    }

    @Test
    void an_answer_to_another_connection_is_detected() {
        List<byte[]> others = new ArrayList<>();
        try (ScriptedServer server =
                echoing((visit, _, bytes) -> {
                    synchronized (others) {
                        others.add(bytes);
                        visit.out.write(visit.number == 1 ? bytes : others.getFirst());
                    }
                })) {
            Held outcome = new HoldMaker(server.address()).connections(2).failed(1);
            assertThat(outcome.errors()).containsOnlyKeys("corrupted");
        }
    }

    @Test
    void unexpected_bytes_are_detected() {
        try (ScriptedServer server =
                echoing((visit, _, bytes) -> {
                    visit.out.write(bytes);
                    visit.out.write(1);
                })) {
            Held outcome = new HoldMaker(server.address()).failed(10);
            assertThat(fates(outcome)).containsExactly(entry("corrupted", 10L));
        }
    }

    @Test
    void a_port_without_a_listener_refuses_each_connection() throws IOException {
        // Bound, so that no one else gets the port, and not listening.
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            InetSocketAddress target = (InetSocketAddress) nobody.getLocalSocketAddress();
            Held outcome = new HoldMaker(target).failed(10);
            assertThat(fates(outcome)).containsExactly(entry("connect-refused", 10L));
            assertThat(outcome.connectionsOpened()).isZero();
            assertThat(outcome.networkErrors()).isEqualTo(10);
            assertThat(outcome.failures().errorsByPhase()).containsOnlyKeys("connect");
        }
    }

    @Test
    void a_reset_and_a_close_are_different_errors() {
        try (ScriptedServer server =
                echoing((visit, message, bytes) -> {
                    if (visit.number == 1 && message == 2) {
                        visit.reset();
                    } else if (visit.number == 2 && message == 2) {
                        visit.socket.close();
                    } else {
                        visit.out.write(bytes);
                    }
                })) {
            Held outcome = new HoldMaker(server.address()).failed(2);
            assertThat(fates(outcome))
                    .containsExactly(entry("alive", 8L), entry("closed", 1L), entry("reset", 1L));
        }
    }

    @Test
    void closing_an_idle_connection_is_an_error_of_the_resting_phase() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    if (visit.number > 1) {
                        visit.awaitClient();
                    }
                })) {
            Held outcome = new HoldMaker(server.address()).kind(HoldSpec.Kind.IDLE).failed(1);
            assertThat(fates(outcome)).containsExactly(entry("alive", 9L), entry("closed", 1L));
            assertThat(outcome.failures().errorsByPhase()).containsOnlyKeys("resting");
        }
    }

    @Test
    void a_missing_answer_times_out() {
        try (ScriptedServer server =
                echoing((visit, message, bytes) -> {
                    if (visit.number != 1 || message < 3) {
                        visit.out.write(bytes);
                    }
                })) {
            Held outcome = new HoldMaker(server.address()).timeout(SHORT).failed(1);
            assertThat(outcome.errors()).contains(entry("timeout", 1L));
            assertThat(fates(outcome)).contains(entry("alive", 9L));
        }
    }

    @Test
    void an_incomplete_handshake_times_out() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            HoldMaker plan =
                    new HoldMaker((InetSocketAddress) full.getLocalSocketAddress())
                            .kind(HoldSpec.Kind.IDLE)
                            .connectTimeout(SHORT);
            Held outcome = plan.failed(1);
            assertThat(fates(outcome)).containsOnlyKeys("alive", "connect-timeout");
        }
    }

    @Test
    void a_failed_connection_is_reopened_if_requested() {
        try (ScriptedServer server =
                echoing((visit, _, bytes) -> {
                    if (visit.number <= 5) {
                        visit.socket.close();
                    } else {
                        visit.out.write(bytes);
                    }
                })) {
            HoldMaker plan = new HoldMaker(server.address()).onError(HoldSpec.OnError.RECONNECT);
            try (HoldRun run = plan.begun()) {
                await(() -> run.progress().errors() == 5 && run.progress().connections() == 10);
                Held outcome = run.finish(BOUND, List::of);
                assertThat(fates(outcome)).containsExactly(entry("alive", 10L));
                assertThat(outcome.errors()).containsExactly(entry("closed", 5L));
                assertThat(outcome.connectionsOpened()).isEqualTo(15);
                assertThat(outcome.hold().reopened()).isEqualTo(5);
            }
        }
    }

    @Test
    void the_first_failure_ends_a_run_that_stops_on_errors() {
        try (ScriptedServer server =
                echoing((visit, message, bytes) -> {
                    if (visit.number == 4 && message == 3) {
                        visit.socket.close();
                    } else {
                        visit.out.write(bytes);
                    }
                })) {
            HoldMaker plan = new HoldMaker(server.address());
            try (HoldRun counting = plan.begun();
                    HoldRun stopping = plan.onError(HoldSpec.OnError.STOP).begun()) {
                await(() -> counting.progress().errors() + stopping.progress().errors() == 1);
                assertThat(counting.over()).isFalse();
                boolean its = stopping.progress().errors() == 1;
                await(() -> stopping.over() == its);
            }
        }
    }

    @Test
    void connections_that_never_began_are_counted() {
        try (ScriptedServer server = echoing();
                HoldRun run = new HoldMaker(server.address()).perSecond(1).begun()) {
            await(() -> run.progress().connections() == 1);
            Held outcome = run.finish(BOUND, List::of);
            assertThat(fates(outcome)).containsKeys("alive", "unopened");
        }
    }

    @Test
    void bytes_that_a_server_pushes_are_read() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.write("news");
                    visit.awaitClient();
                })) {
            Held outcome = new HoldMaker(server.address()).kind(HoldSpec.Kind.PUSH).held(10);
            assertThat(fates(outcome)).containsExactly(entry("alive", 10L));
            assertThat(outcome.exchanges().bytesReceived()).isEqualTo(40);
            assertThat(outcome.answered()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 4_099, 3_000_001})
    void messages_of_any_size_come_back_complete(int bytes) {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    byte[] piece = new byte[10_007];
                    for (int n = visit.in.read(piece); n > 0; n = visit.in.read(piece)) {
                        visit.out.write(piece, 0, n);
                    }
                })) {
            HoldMaker plan = new HoldMaker(server.address()).connections(3).bytes(bytes);
            Held outcome = plan.held(12);
            assertThat(fates(outcome)).containsExactly(entry("alive", 3L));
            assertThat(outcome.exchanges().bytesReceived()).isEqualTo(outcome.answered() * bytes);
        }
    }
}
