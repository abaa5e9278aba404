package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;

class DelayedAckTest {
    private static final String WALL = "delayed-ack";

    /// In ten seconds, 10 connections get 2,000 answers in 50 ms each, alone as under load.
    ///
    /// @param held the connections with bytes that are held back
    /// @param delayed the acknowledgements that the client delays
    private static Recorded answering(double held, double delayed) {
        return Recorded.healthy()
                .everySecond()
                .connections(10)
                .unloadedMillis(50)
                .responseMillis(50, 2_000)
                .level(ListenFigure.HELD_BACK.of(8080), End.SERVER, held)
                .grows(KernelCounter.DELAYED_ACKS, End.CLIENT, delayed)
                .grows(KernelCounter.DELAYED_ACKS, End.SERVER, 0);
    }

    private static String because(Diagnosis diagnosis) {
        return NotNamed.because(diagnosis, WallId.DELAYED_ACK);
    }

    @Test
    void bytes_that_wait_for_delayed_acknowledgements_are_named() {
        Recorded recorded = answering(8, 1_990);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "on average 8.0 connections to port 8080 had unsent bytes behind an unacknowledged segment",
                        "the last bytes of an answer are held back for 40 ms of 50 ms",
                        "the client delayed 1990 acknowledgements, for 2000 answers");
        assertThat(diagnosis.headline().evidence().get(1))
                .extracting(Evidence::after, Evidence::limit)
                .as("microseconds")
                .containsExactly(40_000.0, 25_000.0);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(new DelayedAck().advice(diagnosis.headline(), recorded.observation()))
                .isNotEmpty();
    }

    @Test
    void in_an_open_loop_the_harm_is_the_latency() {
        assertThat(answering(8, 1_990).lockstep().diagnosed().headline().harm())
                .isEqualTo(Harm.THROUGHPUT);
        Diagnosis diagnosis = answering(8, 1_990).open(0, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    @Test
    void a_knob_for_nodelay_goes_from_0_to_1() {
        Knob nodelay = new Knob("0", WallId.DELAYED_ACK, null, List.of());
        assertThat(RemedyTest.texts(answering(8, 1_990), Map.of("nodelay", nodelay), Limits.NONE))
                .containsExactly("nodelay 0 -> 1");
    }

    @Test
    void a_service_that_pauses_has_delayed_acknowledgements_but_holds_nothing_back() {
        assertThat(because(answering(0, 2_000).diagnosed()))
                .isEqualTo("the last bytes of an answer are held back for 0.00 ms of 50 ms");
    }

    @Test
    void bytes_that_wait_for_a_slow_path_are_not_delayed_by_the_client() {
        Diagnosis diagnosis = answering(8, 20).diagnosed();
        assertThat(because(diagnosis)).endsWith("but few acknowledgements were delayed");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void an_answer_that_takes_longer_for_another_reason_is_not_it() {
        assertThat(because(answering(4, 2_000).diagnosed()))
                .isEqualTo("the last bytes of an answer are held back for 20 ms of 50 ms");
    }

    @Test
    void a_full_cpu_limits_the_rate_instead() {
        Diagnosis diagnosis = answering(8, 1_990).unloadedMillis(20).cpuShare(1).diagnosed();
        assertThat(because(diagnosis)).endsWith("and the CPU is full");
    }

    @Test
    void one_reading_may_be_chance() {
        assertThat(caveats(0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)).doesNotContain("near:" + WALL);
        assertThat(caveats(0, 0, 0, 20, 0, 0, 20, 0, 0, 0, 0)).doesNotContain("near:" + WALL);
        assertThat(caveats(0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0)).contains("near:" + WALL);
    }

    /// @param held the connections with bytes that are held back, at each instant
    private static List<String> caveats(double... held) {
        Diagnosis diagnosis =
                answering(0, 2_000)
                        .put(ListenFigure.HELD_BACK.of(8080), End.SERVER, held)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isEmpty();
        return diagnosis.caveats().stream().map(Caveat::id).toList();
    }

    @Test
    void readings_before_and_after_the_load_do_not_make_it_less_sure() {
        Recorded recorded = answering(0, 2_000);
        double[] held = {0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 0};
        recorded.put(ListenFigure.HELD_BACK.of(8080), End.SERVER, held);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void readings_that_differ_much_make_it_less_sure() {
        Recorded recorded = answering(0, 2_000);
        double[] little = {0, 6, 8, 6, 8, 7, 6, 8, 6, 8, 0};
        recorded.put(ListenFigure.HELD_BACK.of(8080), End.SERVER, little);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
        assertThat(caveats(0, 0, 14, 0, 14, 7, 0, 14, 0, 14, 0)).contains("near:" + WALL);
    }

    /// The proxy has two listeners, and its own connections to the second one are the slow ones.
    @Test
    void the_listener_and_the_end_that_delays_are_in_the_evidence() {
        Diagnosis diagnosis =
                answering(3, 20)
                        .level(ListenFigure.HELD_BACK.of(9090), End.SERVER, 5)
                        .level(ListenFigure.HELD_BACK.of(9091), End.SERVER, Double.NaN)
                        .grows(KernelCounter.DELAYED_ACKS, End.SERVER, 1_970)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "on average 5.0 connections to port 9090 had unsent bytes behind an unacknowledged segment",
                        "the last bytes of an answer are held back for 40 ms of 50 ms",
                        "the server delayed 1970 acknowledgements, for 2000 answers");
    }

    /// All connections of a batch are held back at once, or none is.
    @Test
    void few_readings_are_enough_if_answers_are_held_back_without_load_too() {
        double[] batches = {0, 10, 0, 10, 10, 0, 10, 10, 0, 10, 0};
        Recorded recorded = answering(0, 2_000);
        recorded.put(ListenFigure.HELD_BACK.of(8080), End.SERVER, batches);
        assertThat(recorded.diagnosed().wallId()).isEmpty();
        recorded.levelAlone(ListenFigure.HELD_BACK.of(8080), 0.8);
        assertThat(recorded.diagnosed().wallId()).isEmpty();
        recorded.levelAlone(ListenFigure.HELD_BACK.of(8080), 2);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void without_answers_or_readings_it_is_unknown() {
        assertThat(because(answering(8, 2_000).command().diagnosed())).contains("answers");
        assertThat(because(Recorded.healthy().diagnosed())).contains("readings");
    }

    /// So the table of the budget explains the time.
    @Test
    void an_answer_waits_to_be_sent() {
        Budget budget = Budget.of(answering(8, 1_990).observation()).orElseThrow();
        assertThat(budget.loaded().micros("transmit")).isEqualTo(40_000);
    }
}
