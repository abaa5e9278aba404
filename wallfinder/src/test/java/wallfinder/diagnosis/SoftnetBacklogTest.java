package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;

class SoftnetBacklogTest {
    private static final String WALL = "softnet-backlog";

    private static Recorded dropped(double server, double client, double again) {
        return Recorded.healthy()
                .grows(EndFigure.SOFTNET_DROPPED, End.SERVER, server)
                .grows(EndFigure.SOFTNET_DROPPED, End.CLIENT, client)
                .level(EndFigure.SOFTNET_LIMIT, End.SERVER, 1_000)
                .grows(KernelCounter.RETRANSMITS, End.CLIENT, again);
    }

    @Test
    void dropped_packets_that_were_retransmitted_are_named() {
        Recorded recorded = dropped(72_000, 0, 40).error("connect-timeout", 80);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the CPUs of the server dropped 72000 packets; each may have 1000 waiting to be received",
                        "the client retransmitted 40 segments");
        assertThat(new SoftnetBacklog().advice(diagnosis.headline(), recorded.observation()))
                .extracting(Advice::command)
                .contains("sysctl -w net.core.netdev_max_backlog=10000");
    }

    @Test
    void the_end_is_the_one_whose_cpus_dropped() {
        Diagnosis diagnosis = dropped(0, 900, 40).error("connect-timeout", 80).diagnosed();
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
    }

    /// Another program of the host loses packets, and this load loses none.
    @Test
    void packets_of_others_are_only_near() {
        Diagnosis diagnosis = dropped(72_000, 0, 0).error("connect-timeout", 80).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_few_drops_do_not_explain_a_path_that_loses_more() {
        Diagnosis diagnosis = dropped(9, 0, 4_000).responseMillis(900, 700).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// A packet that waits for longer than the time-out is retransmitted, although it was not lost.
    @Test
    void a_long_queue_explains_more_than_was_dropped() {
        Diagnosis diagnosis =
                dropped(203, 0, 1_227)
                        .put(EndFigure.SOFTNET_QUEUE, End.SERVER, 0, 969, 0)
                        .responseMillis(900, 700)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("969 packets were seen waiting at once");
    }

    @Test
    void a_short_queue_explains_no_more_than_was_dropped() {
        Diagnosis diagnosis =
                dropped(203, 0, 1_227)
                        .level(EndFigure.SOFTNET_QUEUE, End.SERVER, 90)
                        .responseMillis(900, 700)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
    }

    /// After a lost SYN-ACK, the client retransmits its SYN, and the server its SYN-ACK.
    @Test
    void more_segments_are_retransmitted_than_were_dropped() {
        Diagnosis diagnosis =
                dropped(494, 0, 1_227)
                        .grows(KernelCounter.RETRANSMITS, End.SERVER, 702)
                        .responseMillis(900, 700)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
    }

    @Test
    void without_harm_it_is_only_near() {
        Diagnosis diagnosis = dropped(72_000, 0, 40).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }
}
