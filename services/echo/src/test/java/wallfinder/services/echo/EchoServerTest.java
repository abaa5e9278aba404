package wallfinder.services.echo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Runs the packaged jar as a server, in each of its modes, on real sockets.
@Timeout(120)
class EchoServerTest {
    private static final String LINE = "\\[\\d+] connections=\\d+, messages=\\d+";
    private static final List<String> FEW_DESCRIPTORS = List.of("prlimit", "--nofile=64:64");

    @ParameterizedTest
    @EnumSource
    void both_ends_count_the_same_and_stop_at_sigterm(Mode mode) throws Exception {
        String port = Integer.toString(Peer.freePorts(2));
        try (Program server = Program.started(of(mode), "127.0.0.1", port, "2", "64")) {
            server.line("listening on 127.0.0.1:" + port + "-\\d+ \\(" + name(mode) + "\\)");
            try (Program client =
                    Program.started(
                            "client", "127.0.0.1", port, "2", "50", "10000", "200", "50", "3000")) {
                server.line("connections=100, ");
                List<String> lines = client.lastLines();
                assertThat(client.status()).as("%s", lines).isZero();
                assertThat(lines).allMatch(line -> line.matches(LINE));
                assertThat(lines.getLast()).contains("connections=100,");
            }
            server.line("connections=0, messages=[1-9]\\d\\d");
            server.terminate();
            assertThat(server.lastLines().getLast()).matches(LINE);
            assertThat(server.status()).isEqualTo(128 + 15);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_message_larger_than_the_buffer_comes_back_whole_and_a_reset_does_no_harm(Mode mode)
            throws Exception {
        try (Program server = Program.started(of(mode), "127.0.0.1", "0")) {
            int port = port(server);
            try (Peer other = Peer.of(port);
                    Peer broken = Peer.of(port)) {
                assertThat(broken.echoOf("hello")).isEqualTo("hello");
                broken.reset();
                assertThat(other.echoOf("z".repeat(1_000))).isEqualTo("z".repeat(1_000));
                server.line("connections=1, ");
            }
        }
    }

    /// Bytes that the peer does not read stay in the kernel at both ends, except one buffer in the
    /// server.
    @ParameterizedTest
    @EnumSource
    void a_late_reader_gets_all_bytes_and_delays_nobody(Mode mode) throws Exception {
        String much = "0123456789abcdef".repeat(1 << 19);
        try (Program server = Program.started(of(mode), "127.0.0.1", "0", "1", "64", "16384")) {
            int port = port(server);
            try (Peer late = Peer.of(port);
                    Peer silent = Peer.of(port);
                    Peer other = Peer.of(port)) {
                Thread sender = late.sayMeanwhile(much);
                assertThat(late.hear(1)).isEqualTo("0");
                assertThat(other.echoOf("meanwhile")).isEqualTo("meanwhile");
                assertThat(late.hear(much.length() - 1)).isEqualTo(much.substring(1));
                sender.join();
                assertThat(late.echoOf("again")).isEqualTo("again");
                assertThat(silent.echoOf("at last")).isEqualTo("at last");
            }
            server.line("connections=0, ");
        }
    }

    /// The rest begins when the first answer is sent, so the second answer cannot come before its
    /// end.
    @ParameterizedTest
    @EnumSource(names = {"LEAN", "RAW"})
    void a_second_message_waits_until_the_thread_has_rested(Mode mode) throws Exception {
        try (Program server =
                        Program.started(
                                of(mode), "--gather=900000", "--loops=1", "127.0.0.1", "0");
                Peer peer = Peer.of(port(server))) {
            assertThat(peer.echoOf("once")).isEqualTo("once");
            long answered = System.nanoTime();
            assertThat(peer.echoOf("again")).isEqualTo("again");
            assertThat(System.nanoTime() - answered).isGreaterThan(450_000_000L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_leaves_before_its_answer_is_forgotten(Mode mode) throws Exception {
        try (Program server = Program.started(of(mode), "127.0.0.1", "0")) {
            Peer rude = Peer.of(port(server));
            Thread sender = rude.sayMeanwhile("x".repeat(1 << 23));
            assertThat(rude.hear(1)).isEqualTo("x");
            rude.reset();
            sender.join();
            server.line("connections=0, ");
            server.terminate();
            assertThat(server.lastLines()).allMatch(line -> line.matches(LINE));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_listener_survives_a_lack_of_descriptors(Mode mode) throws Exception {
        try (Program server =
                Program.started(FEW_DESCRIPTORS, of(mode), "--loops=1", "127.0.0.1", "0")) {
            int port = port(server);
            List<Peer> crowd = Peer.crowd(80, port);
            server.line("no connection accepted: Too many open files");
            for (Peer peer : crowd) {
                peer.close();
            }
            try (Peer late = Peer.of(port)) {
                assertThat(late.echoOf("still there")).isEqualTo("still there");
                server.line("connections=1, ");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEAN", "RAW"})
    void another_thread_starts_when_all_descriptors_are_used(Mode mode) throws Exception {
        try (Program server =
                Program.started(FEW_DESCRIPTORS, of(mode), "127.0.0.1", "0", "1", "512")) {
            List<Peer> crowd = Peer.crowd(500, port(server));
            server.line("connections=500, ");
            for (Peer peer : crowd) {
                assertThat(peer.echoOf("here")).isEqualTo("here");
                peer.close();
            }
            server.line("connections=0, messages=500");
        }
    }

    @ParameterizedTest
    @EnumSource
    void received_messages_are_answered_before_the_server_stops(Mode mode) throws Exception {
        String much = "0123456789abcdef".repeat(1 << 14);
        try (Program server = Program.started(of(mode), "127.0.0.1", "0", "1", "64", "16384")) {
            try (Peer peer = Peer.of(port(server))) {
                Thread sender = peer.sayMeanwhile(much);
                assertThat(peer.hear(1)).isEqualTo("0");
                server.terminate();
                assertThat(peer.hear(much.length())).isEqualTo(much.substring(1));
                sender.join();
            }
            assertThat(server.lastLines().getLast()).matches(LINE);
        }
    }

    @Test
    void without_the_jdks_internals_the_lean_mode_falls_back_to_the_plain_one() throws Exception {
        try (Program server = Program.startedAsClass(of(Mode.LEAN), "127.0.0.1", "0")) {
            server.line("the mode lean cannot be had: virtual threads take no scheduler here");
            int port = Integer.parseInt(server.line("127.0.0.1:(\\d+) \\(plain\\)").group(1));
            try (Peer peer = Peer.of(port)) {
                assertThat(peer.echoOf("all the same")).isEqualTo("all the same");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_unavailable_port_is_one_clear_error(Mode mode) throws Exception {
        try (Program server = Program.started(of(mode), "192.0.2.1", "8000")) {
            assertThat(server.lastLines())
                    .containsExactly(
                            "echo server: cannot listen on 192.0.2.1:8000: Cannot assign requested"
                                    + " address");
            assertThat(server.status()).isEqualTo(1);
        }
    }

    private static String of(Mode mode) {
        return "--mode=" + name(mode);
    }

    private static String name(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private static int port(Program server) throws InterruptedException {
        return Integer.parseInt(server.line("listening on 127.0.0.1:(\\d+)").group(1));
    }
}
