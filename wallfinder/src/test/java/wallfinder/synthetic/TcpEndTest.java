package wallfinder.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.synthetic.Packet.ACK;
import static wallfinder.synthetic.Packet.FIN;
import static wallfinder.synthetic.Packet.PSH;
import static wallfinder.synthetic.Packet.RST;
import static wallfinder.synthetic.Packet.SYN;
import static wallfinder.synthetic.Rig.MILLI;
import static wallfinder.synthetic.Rig.SECOND;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// How connections end, one segment at a time, compared with RFC 9293.
class TcpEndTest {
    private static final int IRS = 0xFFFFFFF0;
    private static final int WINDOW = 64_240;

    // ---- resets -------------------------------------------------------------------------------

    @Test
    void a_reset_counts_only_with_the_next_expected_number() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS + 5, 0, RST, 0));
            assertThat(rig.next().shown()).as("a challenge").isEqualTo(".");
            rig.receive(ack.reply(IRS - 5, 0, RST, 0));
            assertThat(rig.sent).isEmpty();
            assertThat(rig.peers.connected(0)).isTrue();
            rig.receive(ack.reply(IRS + 1, 0, RST, 0));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.RESET, 1));
        }
    }

    @Test
    void a_syn_in_an_established_connection_is_challenged() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS + 9, 0, SYN, WINDOW));
            assertThat(rig.next().shown()).isEqualTo(".");
            assertThat(rig.peers.connected(0)).isTrue();
        }
    }

    @Test
    void a_segment_without_a_connection_is_reset_unless_it_is_a_reset() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.tcp.open(0, rig.now);
            Packet syn = rig.next();
            Packet stray =
                    new Packet(
                            syn.to(), 9999, syn.from(), 77, 5, 6, ACK, 9, new byte[0], new byte[3]);
            rig.receive(stray);
            Packet reset = rig.next();
            assertThat(reset.shown()).isEqualTo("R");
            assertThat(reset.seq()).isEqualTo(6);
            assertThat(reset.toPort()).isEqualTo(9999);
            rig.receive(
                    new Packet(
                            syn.to(),
                            8001,
                            syn.from(),
                            syn.fromPort(),
                            5,
                            0,
                            SYN,
                            9,
                            new byte[0],
                            new byte[0]));
            Packet refused = rig.next();
            assertThat(refused.shown()).isEqualTo("R.");
            assertThat(refused.ack()).isEqualTo(6);
            rig.receive(stray.reply(5, 6, RST, 0).reply(5, 6, RST, 0));
            assertThat(rig.sent).isEmpty();
        }
    }

    // ---- closing ------------------------------------------------------------------------------

    @Test
    void the_peer_closes_first() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq(), FIN | ACK, WINDOW));
            Packet fin = rig.next();
            assertThat(fin.shown()).isEqualTo("F.");
            assertThat(fin.seq()).isEqualTo(ack.seq());
            assertThat(fin.ack()).isEqualTo(IRS + 2);
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CLOSED, 1));
            rig.pass(SECOND + 10 * MILLI);
            assertThat(rig.next()).usingRecursiveComparison().isEqualTo(fin);
            rig.receive(ack.reply(IRS + 2, fin.seq() + 1, ACK, WINDOW));
            assertThat(rig.tcp.underWay()).isZero();
            assertThat(rig.peers.ending(0)).isEqualTo(Ending.CLOSED);
            assertThat(rig.sent).isEmpty();
        }
    }

    @Test
    void an_answer_that_comes_with_a_fin_counts() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            Packet answer = first.reply(IRS + 1, first.seq() + 100, FIN | PSH | ACK, WINDOW);
            rig.receive(answer.with(first.data()));
            assertThat(rig.handler.answered).isOne();
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CLOSED, 1));
            assertThat(rig.next().ack()).isEqualTo(IRS + 102);
        }
    }

    @Test
    void a_peer_that_closes_in_the_middle_of_an_answer_is_reset() {
        try (Rig rig = Rig.of(100, 1)) {
            rig.connect(0, IRS, WINDOW);
            Packet first = rig.next();
            rig.receive(first.reply(IRS + 1, first.seq() + 100, FIN | ACK, WINDOW));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CLOSED, 1));
            assertThat(rig.next().shown()).isEqualTo("R.");
        }
    }

    @Test
    void we_close_first_and_acknowledge_a_repeated_fin() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            assertThat(rig.tcp.close(0, rig.now)).isTrue();
            Packet fin = rig.next();
            assertThat(fin.shown()).isEqualTo("F.");
            rig.receive(ack.reply(IRS + 1, fin.seq() + 1, ACK, WINDOW));
            assertThat(rig.sent).isEmpty();
            Packet theirs = ack.reply(IRS + 1, fin.seq() + 1, FIN | ACK, WINDOW);
            rig.receive(theirs);
            Packet last = rig.next();
            assertThat(last.ack()).isEqualTo(IRS + 2);
            assertThat(last.seq()).isEqualTo(fin.seq() + 1);
            rig.receive(theirs);
            assertThat(rig.next()).usingRecursiveComparison().isEqualTo(last);
            assertThat(rig.tcp.counts().closedInOrder).isOne();
            assertThat(rig.tcp.underWay()).isZero();
            assertThat(rig.handler.endings).isEmpty();
        }
    }

    @Test
    void both_ends_may_close_simultaneously() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.tcp.close(0, rig.now);
            Packet fin = rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq(), FIN | ACK, WINDOW));
            assertThat(rig.next().ack()).isEqualTo(IRS + 2);
            rig.pass(SECOND + 10 * MILLI);
            assertThat(rig.next().seq()).as("ours is not acknowledged").isEqualTo(fin.seq());
            rig.receive(ack.reply(IRS + 2, fin.seq() + 1, ACK, WINDOW));
            assertThat(rig.tcp.counts().closedInOrder).isOne();
            assertThat(rig.tcp.underWay()).isZero();
        }
    }

    @Test
    void data_for_a_connection_that_we_have_closed_is_reset() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.tcp.close(0, rig.now);
            rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq() + 1, ACK, WINDOW).with(new byte[10]));
            assertThat(rig.next().shown()).isEqualTo("R.");
        }
    }

    @Test
    void a_peer_that_never_closes_is_finally_reset() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.tcp.close(0, rig.now);
            rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq() + 1, ACK, WINDOW));
            rig.pass(21 * SECOND);
            assertThat(rig.next().shown()).isEqualTo("R.");
            assertThat(rig.tcp.underWay()).isZero();
        }
    }

    @Test
    void nothing_after_a_fin_is_accepted() {
        try (Rig rig = Rig.of(0, 0)) {
            rig.connect(0, IRS, WINDOW);
            Packet ack = rig.next();
            rig.receive(ack.reply(IRS + 1, ack.seq(), FIN | ACK, WINDOW));
            rig.receive(ack.reply(IRS + 2, ack.seq(), FIN | ACK, WINDOW));
            rig.receive(ack.reply(IRS + 2, ack.seq(), ACK, WINDOW).with(new byte[4]));
            assertThat(rig.handler.endings).isEqualTo(Map.of(Ending.CLOSED, 1));
            assertThat(rig.handler.pushed).isZero();
        }
    }
}
