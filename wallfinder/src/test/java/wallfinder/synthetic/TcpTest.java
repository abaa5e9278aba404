package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.synthetic.Packet.ACK;
import static wallfinder.synthetic.Packet.PSH;
import static wallfinder.synthetic.Packet.RST;
import static wallfinder.synthetic.Packet.SYN;
import static wallfinder.synthetic.Rig.MILLI;
import static wallfinder.synthetic.Rig.SECOND;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// One segment at a time, compared with RFC 9293.
class TcpTest {
    private static final int IRS = 0xFFFFFFF0; // wraps within the first message
    private static final int WINDOW = 64_240;

    // ---- opening ------------------------------------------------------------------------------

    @Test
    void a_connection_opens_with_three_segments_and_offers_its_segment_size() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            assertThat(syn.shown()).isEqualTo("S");
            assertThat(syn.mss()).isEqualTo(1460);
            rig.receive(syn.reply(IRS, syn.seq() + 1, SYN | ACK, WINDOW).mss(1460));
            Packet ack = rig.next();
            assertThat(ack.shown()).isEqualTo(".");
            assertThat(ack.seq()).isEqualTo(syn.seq() + 1);
            assertThat(ack.ack()).isEqualTo(IRS + 1);
            assertThat(rig.handler.connected).isOne();
            assertThat(rig.peers.connected(0)).isTrue();
            assertThat(rig.sent).isEmpty();
        }
    }

    @Test
    void the_first_message_carries_the_acknowledgement_of_the_handshake() {
        try (Rig rig = Rig.of(100, 1)) {
            Packet syn = rig.connect(0, IRS, WINDOW);
            Packet message = rig.next();
            assertThat(message.shown()).isEqualTo("P.");
            assertThat(message.seq()).isEqualTo(syn.seq() + 1);
            assertThat(message.data()).isEqualTo(rig.handler.expected(0, 0));
            assertThat(rig.sent).isEmpty();
        }
    }

    @Test
    void a_syn_is_retransmitted_at_growing_intervals_until_it_times_out() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            for (int seconds : new int[] {1, 2, 4}) {
                rig.pass(seconds * SECOND - 10 * MILLI);
                assertThat(rig.sent).isEmpty();
                rig.pass(20 * MILLI);
                assertThat(rig.next()).usingRecursiveComparison().isEqualTo(syn);
            }
            rig.pass(4 * SECOND);
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CONNECT_TIMEOUT, 1));
            assertThat(rig.peers.ending(0)).isEqualTo(Ending.CONNECT_TIMEOUT);
            assertThat(rig.tcp.underWay()).isZero();
        }
    }

    @Test
    void a_late_answer_to_an_abandoned_syn_is_reset() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            rig.pass(11 * SECOND);
            rig.sent.clear();
            rig.receive(syn.reply(IRS, syn.seq() + 1, SYN | ACK, WINDOW));
            Packet reset = rig.next();
            assertThat(reset.shown()).isEqualTo("R");
            assertThat(reset.seq()).isEqualTo(syn.seq() + 1);
        }
    }

    @Test
    void a_reset_refuses_only_if_it_acknowledges_the_syn() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            rig.receive(syn.reply(0, syn.seq(), RST | ACK, 0));
            rig.receive(syn.reply(0, 0, RST, 0));
            assertThat(rig.handler.endings).isEmpty();
            rig.receive(syn.reply(0, syn.seq() + 1, RST | ACK, 0));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.REFUSED, 1));
            assertThat(rig.sent).isEmpty();
        }
    }

    @Test
    void a_wrong_acknowledgement_in_a_handshake_is_reset() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            rig.receive(syn.reply(IRS, syn.seq() + 7, SYN | ACK, WINDOW));
            Packet reset = rig.next();
            assertThat(reset.shown()).isEqualTo("R");
            assertThat(reset.seq()).isEqualTo(syn.seq() + 7);
            assertThat(rig.peers.connecting(0)).isTrue();
        }
    }

    @Test
    void both_ends_may_open_simultaneously() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            rig.receive(syn.reply(IRS, 0, SYN, WINDOW).mss(1460));
            Packet both = rig.next();
            assertThat(both.shown()).isEqualTo("S.");
            assertThat(both.seq()).isEqualTo(syn.seq());
            assertThat(both.ack()).isEqualTo(IRS + 1);
            rig.receive(syn.reply(IRS, syn.seq() + 1, SYN | ACK, WINDOW).mss(1460));
            assertThat(rig.next().shown()).isEqualTo(".");
            rig.receive(syn.reply(IRS + 1, syn.seq() + 1, ACK, WINDOW));
            assertThat(rig.peers.connected(0)).isTrue();
        }
    }

    @Test
    void a_repeated_syn_ack_is_acknowledged_twice() {
        try (Rig rig = Rig.of(0, 0)) {
            Packet syn = rig.connect(0, IRS, WINDOW);
            rig.next();
            rig.receive(syn.reply(IRS, syn.seq() + 1, SYN | ACK, WINDOW).mss(1460));
            assertThat(rig.next().shown()).isEqualTo(".");
            assertThat(rig.handler.connected).isOne();
        }
    }

    @Test
    void first_numbers_differ_and_a_new_life_begins_beyond_the_old_one() {
        try (Rig rig = new Rig(1000, 0, 0, 1000)) {
            Set<Integer> first = new HashSet<>();
            for (int slot = 0; slot < 1000; slot++) {
                rig.tcp.open(slot, rig.now);
                first.add(rig.next().seq());
            }
            assertThat(first).hasSizeGreaterThan(995);
            int before = rig.peers.life(5);
            rig.tcp.abort(5);
            rig.tcp.open(5, rig.now);
            assertThat(rig.peers.life(5)).isEqualTo(before + 1);
            assertThat(first).doesNotContain(rig.next().seq());
        }
    }

    // ---- messages -----------------------------------------------------------------------------

    @Test
    void an_answer_is_acknowledged_at_once_and_the_next_message_carries_it() {
        try (Rig rig = Rig.of(100, 2)) {
            Packet syn = rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.receive(echo(first, IRS + 1, 0, 100));
            Packet second = rig.next();
            assertThat(second.shown()).isEqualTo("P.");
            assertThat(second.seq()).isEqualTo(syn.seq() + 101);
            assertThat(second.ack()).isEqualTo(IRS + 101);
            assertThat(second.data()).isEqualTo(rig.handler.expected(0, 1));
            rig.receive(echo(second, IRS + 101, 0, 100));
            assertThat(rig.next().shown()).isEqualTo(".");
            assertThat(rig.handler.answered).isEqualTo(2);
            assertThat(rig.sent).isEmpty();
            assertThat(rig.tcp.underWay()).isZero();
        }
    }

    @Test
    void a_message_is_retransmitted_only_until_it_is_acknowledged() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.pass(SECOND + 10 * MILLI);
            assertThat(rig.next().data()).isEqualTo(first.data());
            rig.pass(2 * SECOND + 10 * MILLI);
            assertThat(rig.next().seq()).isEqualTo(first.seq());
            rig.receive(first.reply(IRS + 1, first.seq() + 100, ACK, WINDOW));
            rig.pass(10 * SECOND);
            assertThat(rig.sent).isEmpty();
            rig.receive(echo(first, IRS + 1, 0, 100));
            assertThat(rig.handler.answered).isOne();
        }
    }

    @Test
    void a_message_without_an_answer_in_time_resets_the_connection() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.receive(first.reply(IRS + 1, first.seq() + 100, ACK, WINDOW));
            rig.pass(19 * SECOND);
            assertThat(rig.handler.endings).isEmpty();
            rig.pass(2 * SECOND);
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.TIMEOUT, 1));
            Packet reset = rig.next();
            assertThat(reset.shown()).isEqualTo("R.");
            assertThat(reset.seq()).isEqualTo(first.seq() + 100);
        }
    }

    @Test
    void answers_in_pieces_reordered_and_repeated_are_reassembled() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.receive(echo(first, IRS + 1, 40, 60));
            assertThat(rig.next().ack()).isEqualTo(IRS + 1);
            assertThat(rig.tcp.counts().ahead).isOne();
            rig.receive(echo(first, IRS + 1, 0, 40));
            assertThat(rig.next().ack()).isEqualTo(IRS + 41);
            rig.receive(echo(first, IRS + 1, 0, 40));
            assertThat(rig.next().ack()).isEqualTo(IRS + 41);
            assertThat(rig.tcp.counts().duplicates).isOne();
            rig.receive(echo(first, IRS + 1, 20, 80));
            assertThat(rig.next().ack()).isEqualTo(IRS + 101);
            assertThat(rig.handler.answered).isOne();
            assertThat(rig.handler.endings).isEmpty();
        }
    }

    @Test
    void a_wrong_byte_with_a_right_checksum_is_corruption() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            first.data()[99] ^= 1;
            rig.receive(echo(first, IRS + 1, 0, 100));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CORRUPTED, 1));
            assertThat(rig.next().shown()).isEqualTo("R.");
            assertThat(rig.peers.connected(0)).isFalse();
        }
    }

    @Test
    void an_additional_byte_is_corruption() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            byte[] more = Arrays.copyOf(first.data(), 101);
            rig.receive(first.with(more).reply(IRS + 1, first.seq() + 100, ACK, 9).with(more));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CORRUPTED, 1));
        }
    }

    @Test
    void a_damaged_packet_counts_as_lost() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            byte[] answer = echo(rig.next(), IRS + 1, 0, 100).bytes();
            for (int at = 0; at < answer.length; at++) {
                byte[] damaged = answer.clone();
                damaged[at] ^= (byte) 0x40;
                rig.receive(damaged);
            }
            assertThat(rig.tcp.counts().damaged + rig.tcp.counts().foreign)
                    .isEqualTo(answer.length);
            assertThat(rig.handler.answered).isZero();
            rig.receive(answer);
            assertThat(rig.handler.answered).isOne();
        }
    }

    @Test
    void an_acknowledgement_of_unsent_bytes_changes_nothing() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.receive(first.reply(IRS + 1, first.seq() + 101, ACK, WINDOW));
            assertThat(rig.next().shown()).isEqualTo(".");
            rig.pass(SECOND + 10 * MILLI);
            assertThat(rig.next().data()).isEqualTo(first.data());
        }
    }

    @Test
    void pushed_bytes_are_counted_and_acknowledged() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq(), ACK, WINDOW).with(new byte[1000]));
            assertThat(rig.next().ack()).isEqualTo(IRS + 1001);
            assertThat(rig.handler.pushed).isEqualTo(1000);
        }
    }

    @Test
    void a_keepalive_probe_of_the_server_is_answered() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS, ack.seq(), ACK, WINDOW));
            assertThat(rig.next()).usingRecursiveComparison().isEqualTo(ack);
        }
    }

    @Test
    void a_message_without_a_free_flight_can_be_sent_later() {
        try (Rig rig = new Rig(2, 100, 1, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            assertThat(rig.tcp.open(1, rig.now)).isFalse();
            assertThat(rig.peers.state(1)).isEqualTo(Peers.UNOPENED);
            rig.receive(echo(first, IRS + 1, 0, 100));
            assertThat(rig.tcp.open(1, rig.now)).isTrue();
        }
    }

    // ---- windows ------------------------------------------------------------------------------

    @Test
    void a_long_message_respects_the_peers_window_and_segment_size() {
        try (Rig rig = Rig.of(5000, 1)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            rig.receive(syn.reply(IRS, syn.seq() + 1, SYN | ACK, 2500).mss(1000));
            // The window is smaller than the first flight, so one byte probes it.
            Packet probe = rig.next();
            assertThat(probe.data()).hasSize(1);
            rig.receive(probe.reply(IRS + 1, probe.seq() + 1, ACK, 2500));
            assertThat(rig.next().data()).hasSize(1000);
            Packet second = rig.next();
            assertThat(second.data()).hasSize(1000);
            assertThat(rig.sent).as("500 more would be a silly segment").isEmpty();
            rig.receive(second.reply(IRS + 1, second.seq() + 1000, ACK, 60_000));
            assertThat(rig.sent.stream().mapToInt(p -> p.data().length).sum()).isEqualTo(2999);
            assertThat(rig.sent.getLast().flags()).isEqualTo(PSH | ACK);
        }
    }

    @Test
    void a_closed_window_is_probed_and_sending_continues_there() {
        try (Rig rig = Rig.of(5000, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.sent.clear();
            rig.receive(first.reply(IRS + 1, first.seq() + 1000, ACK, 0));
            assertThat(rig.sent).isEmpty();
            for (int seconds : new int[] {1, 2}) {
                rig.pass(seconds * SECOND + 10 * MILLI);
                Packet probe = rig.next();
                assertThat(probe.seq()).isEqualTo(first.seq() + 1000);
                assertThat(probe.data()).hasSize(1);
                rig.receive(probe.reply(IRS + 1, first.seq() + 1000, ACK, 0));
            }
            rig.receive(first.reply(IRS + 1, first.seq() + 1000, ACK, 8000));
            assertThat(rig.sent.getFirst().seq()).isEqualTo(first.seq() + 1000);
            assertThat(rig.sent.getFirst().data()).hasSizeGreaterThan(1);
        }
    }

    @Test
    void at_most_ten_segments_are_sent_at_once_and_one_after_a_loss() {
        try (Rig rig = Rig.of(40_000, 1)) {
            rig.connect(0, IRS, 0xFFFF);
            assertThat(rig.sent).hasSize(10);
            Packet first = rig.next();
            rig.sent.clear();
            rig.receive(first.reply(IRS + 1, first.seq() + 2920, ACK, 0xFFFF));
            assertThat(rig.sent.stream().mapToInt(p -> p.data().length).sum())
                    .isEqualTo(2920 + 1460);
            rig.sent.clear();
            rig.pass(SECOND + 10 * MILLI);
            assertThat(rig.sent).hasSize(1);
            assertThat(rig.next().seq()).isEqualTo(first.seq() + 2920);
        }
    }

    /// A piece of an echo that acknowledges the whole message.
    private static Packet echo(Packet of, int first, int from, int count) {
        byte[] piece = Arrays.copyOfRange(of.data(), from, from + count);
        int acknowledged = of.seq() + of.data().length;
        return of.reply(first + from, acknowledged, PSH | ACK, WINDOW).with(piece);
    }
}
