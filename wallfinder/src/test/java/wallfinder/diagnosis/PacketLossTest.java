package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;

class PacketLossTest {
    private static final String WALL = "packet-loss";

    /// Each end sends 20,000 segments. Of 10,000 answers in 5 ms, 200 take 207 ms longer.
    static Recorded lossy(double client, double server) {
        return Recorded.healthy()
                .connections(10)
                .unloadedMillis(5)
                .responseMillis(5, 9_800)
                .alsoResponseMillis(212, 200)
                .grows(KernelCounter.OUT_SEGMENTS, End.CLIENT, 20_000)
                .grows(KernelCounter.OUT_SEGMENTS, End.SERVER, 20_000)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 0)
                .grows(KernelCounter.RETRANSMITS, End.CLIENT, client)
                .grows(KernelCounter.RETRANSMITS, End.SERVER, server);
    }

    /// Why packet loss is ruled out.
    static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.PACKET_LOSS);
    }

    @Test
    void lost_segments_that_explain_the_late_answers_are_named() {
        Recorded recorded = lossy(210, 190).grows(KernelCounter.NEEDLESS, End.SERVER, 180);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.PATH);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "220 of 40000 segments (0.55 %) were lost",
                        "the client retransmitted 210 of 20000 segments; 0 of them began a handshake",
                        "the server retransmitted 190 of 20000 segments; 0 of them began a handshake",
                        "the other end already had 180 of the segments that the server retransmitted",
                        "200 answers (2.00 %) took at least 190 ms longer than the median, or timed out; TCP waits 200 ms before it retransmits");
        assertThat(diagnosis.also()).isEmpty();
        assertThat(new PacketLoss().advice(diagnosis.headline(), recorded.observation()))
                .isNotEmpty();
    }

    @Test
    void in_an_open_loop_the_harm_is_the_tail() {
        Diagnosis diagnosis = lossy(210, 0).open(0, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    /// Most answers wait for one of too few workers. The loss adds the tail.
    @Test
    void a_queue_in_front_of_the_workers_limits_the_rate_and_the_loss_adds_a_tail() {
        Recorded queued =
                lossy(300, 0)
                        .responseMillis(38, 9_750)
                        .alsoResponseMillis(260, 250)
                        .connections(40);
        Diagnosis diagnosis = queued.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.also())
                .extracting(Judgement.Binds::wall)
                .containsExactly(new ServerConcurrency());
    }

    /// The requests of a batch wait for each other, so most answers take longer than alone.
    @Test
    void in_lockstep_the_batches_wait_for_the_lost_segments() {
        Recorded lockstep =
                lossy(210, 0)
                        .responseMillis(25, 9_800)
                        .alsoResponseMillis(232, 200)
                        .lockstep()
                        .batchMillis(50, 800)
                        .batchMillis(232, 200);
        Diagnosis diagnosis = lockstep.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void requests_that_time_out_are_errors() {
        Diagnosis diagnosis = lossy(400, 0).error("timeout", 60).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    void a_service_that_takes_200_ms_itself_is_not() {
        Diagnosis diagnosis = lossy(0, 0).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(diagnosis)).isEqualTo("0 of 40000 segments (0.00 %) were lost");
    }

    @Test
    void a_few_losses_do_not_explain_many_late_answers() {
        Diagnosis diagnosis = lossy(90, 0).diagnosed();
        assertThat(because(diagnosis)).endsWith("which does not explain 200 late answers");
    }

    /// Of 40,000 segments, 40 are a thousandth.
    @ParameterizedTest
    @CsvSource({"39, 20000, false", "41, 20000, true", "4, 100, false", "6, 100, true"})
    void losses_are_near_from_a_thousandth_and_five_on(
            double lost, double segmentsOfEach, boolean near) {
        Recorded few =
                lossy(lost, 0)
                        .grows(KernelCounter.OUT_SEGMENTS, End.CLIENT, segmentsOfEach)
                        .grows(KernelCounter.OUT_SEGMENTS, End.SERVER, segmentsOfEach);
        assertThat(
                        few.diagnosed().caveats().stream()
                                .map(Caveat::id)
                                .toList()
                                .contains("near:" + WALL))
                .isEqualTo(near);
    }

    @Test
    void errors_that_are_no_time_outs_have_another_cause() {
        Diagnosis diagnosis = lossy(210, 0).error("reset", 60).diagnosed();
        assertThat(binds(diagnosis).harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// The CPU would limit the rate without the loss, too.
    @Test
    void with_a_full_cpu_the_loss_only_makes_a_tail() {
        Diagnosis diagnosis = lossy(210, 0).cpuShare(0.97).diagnosed();
        assertThat(binds(diagnosis).harm()).isEqualTo(Harm.LATENCY);
    }

    /// Of 523 seconds, late answers take 23 longer than the others.
    @Test
    void late_answers_that_take_little_of_the_time_only_make_a_tail() {
        Recorded slow =
                lossy(210, 0)
                        .connections(52)
                        .unloadedMillis(50)
                        .responseMillis(50, 9_890)
                        .alsoResponseMillis(260, 110);
        assertThat(binds(slow.diagnosed()).harm()).isEqualTo(Harm.LATENCY);
    }

    private static Judgement.Binds binds(Diagnosis diagnosis) {
        return Stream.concat(Stream.of(diagnosis.headline()), diagnosis.also().stream())
                .filter(binds -> binds.wall() instanceof PacketLoss)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void losses_without_late_answers_do_no_harm() {
        Diagnosis diagnosis =
                lossy(200, 0).responseMillis(16, 10_000).unloadedMillis(15).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void repeated_handshakes_are_not_lost_segments() {
        Recorded syns = lossy(200, 0).grows(KernelCounter.SYN_RETRANS, End.CLIENT, 200);
        assertThat(because(syns.diagnosed())).startsWith("0 of 40000 segments");
    }

    @Test
    void segments_that_arrived_twice_were_not_lost() {
        Recorded twice = lossy(0, 200).grows(KernelCounter.NEEDLESS, End.SERVER, 200);
        assertThat(because(twice.diagnosed())).startsWith("0 of 40000 segments");
    }

    @Test
    void a_full_queue_of_a_cpu_explains_the_loss() {
        Diagnosis diagnosis =
                lossy(200, 0)
                        .grows(EndFigure.SOFTNET_DROPPED, End.SERVER, 300)
                        .error("timeout", 60)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("softnet-backlog");
        assertThat(because(diagnosis)).endsWith("because a CPU dropped received packets");
    }

    @Test
    void on_a_host_with_other_programs_it_is_unknown() {
        assertThat(because(lossy(200, 0).host().diagnosed())).contains("cover the whole host");
    }

    @Test
    void without_answers_or_counters_it_is_unknown() {
        assertThat(because(lossy(200, 0).command().diagnosed())).contains("answers");
        assertThat(because(Recorded.healthy().diagnosed())).contains("readings");
    }
}
