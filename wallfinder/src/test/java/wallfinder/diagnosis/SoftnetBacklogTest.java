package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadFigure;

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

    @Test
    void the_advice_raises_the_limit_of_the_end_that_dropped() {
        Recorded client = dropped(0, 900, 40).error("connect-timeout", 80);
        assertThat(commands(client)).contains("sysctl -w net.core.netdev_max_backlog=10000");
        client.level(EndFigure.SOFTNET_LIMIT, End.CLIENT, 20_000);
        assertThat(commands(client)).contains("sysctl -w net.core.netdev_max_backlog=200000");
    }

    private static List<String> commands(Recorded recorded) {
        return new SoftnetBacklog()
                .advice(recorded.diagnosed().headline(), recorded.observation()).stream()
                        .map(Advice::command)
                        .toList();
    }

    @Test
    void without_drops_it_is_ruled_out_and_without_readings_unknown() {
        assertThat(because(dropped(0, 0, 40))).isEqualTo("no CPU dropped a received packet");
        assertThat(because(Recorded.healthy()))
                .isEqualTo("unknown: the CPUs' queues were not read");
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.SOFTNET_BACKLOG);
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

    /// The load is slow for another reason.
    @Test
    void a_few_drops_are_only_near() {
        assertNear(dropped(4, 0, 4).responseMillis(900, 700));
        assertNamed(dropped(5, 0, 5).responseMillis(900, 700));
    }

    private static void assertNear(Recorded recorded) {
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(recorded.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    private static void assertNamed(Recorded recorded) {
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    /// A thousandth of the segments was retransmitted, or the load shows that it waited for them.
    @Test
    void few_retransmits_among_many_segments_are_only_near_unless_they_explain_harm() {
        assertNamed(busy(190_000).responseMillis(900, 700));
        assertNear(busy(190_010).responseMillis(900, 700));
        assertNear(busy(9_000_000).responseMillis(400, 40_000).alsoResponseMillis(900, 50));
        assertNamed(busy(9_000_000).responseMillis(16, 9_000).alsoResponseMillis(230, 100));
        assertNamed(busy(9_000_000).responseMillis(40, 9_000).connectMillis(1_030, 64));
        assertNamed(busy(9_000_000).error("connect-timeout", 80));
        assertNear(busy(9_000_000).error("connect-timeout", 801));
    }

    private static Recorded busy(double segments) {
        return dropped(72_000, 0, 200)
                .grows(KernelCounter.OUT_SEGMENTS, End.CLIENT, segments)
                .grows(KernelCounter.OUT_SEGMENTS, End.SERVER, 10_000);
    }

    /// The counters are those of the host.
    @Test
    void on_a_shared_host_retransmits_may_be_those_of_others() {
        assertNear(dropped(72_000, 0, 40).error("connect-timeout", 80).host());
    }

    @Test
    void both_ends_on_the_same_cpus_have_the_wall_on_the_path() {
        Recorded shared = dropped(72_000, 0, 40).error("connect-timeout", 80).sharing(2, 0.3);
        assertNamed(shared);
        assertThat(shared.diagnosed().headline().end()).isEqualTo(End.PATH);
    }

    /// The kernel repeats a packet for the third time 7 s after it dropped it.
    @Test
    void drops_long_before_the_errors_are_only_near() {
        assertNear(failing(0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 80));
        assertNamed(failing(0, 0, 0, 0, 0, 0, 0, 40, 80, 80, 80));
    }

    private static Recorded failing(double... errors) {
        return dropped(0, 0, 40)
                .everySecond()
                .put(
                        EndFigure.SOFTNET_DROPPED,
                        End.SERVER,
                        0,
                        900,
                        900,
                        900,
                        900,
                        900,
                        900,
                        900,
                        900,
                        900,
                        900)
                .put(LoadFigure.ERRORS, End.CLIENT, errors)
                .error("connect-timeout", 80);
    }

    @Test
    void without_harm_it_is_only_near() {
        Diagnosis diagnosis = dropped(72_000, 0, 40).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }
}
