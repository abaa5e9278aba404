package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.SendFigure;

class TcpWindowTest {
    private static final String WALL = "tcp-window";
    private static final String RECEIVE = "net.ipv4.tcp_rmem";

    /// 10 connections with 200 answers of 500 ms, alone and under load. They have something to send
    /// for 90 s in all.
    ///
    /// @param windowSeconds how long the client's window is used up
    /// @param bufferSeconds how long the send buffer is full
    private static Recorded limited(double windowSeconds, double bufferSeconds) {
        return put(Recorded.healthy(), SendFigure.ROUND_TRIP, 20_500)
                .connections(10)
                .unloadedMillis(500)
                .responseMillis(500, 200)
                .grows(SendFigure.BUSY.of(8080), End.SERVER, 90e6)
                .grows(SendFigure.WINDOW_LIMITED.of(8080), End.SERVER, windowSeconds * 1e6)
                .grows(SendFigure.BUFFER_LIMITED.of(8080), End.SERVER, bufferSeconds * 1e6)
                .level(SendFigure.ROUND_TRIP_MIN.of(8080), End.SERVER, 20_000)
                .level(SendFigure.WINDOW.of(8080), End.SERVER, 8_832)
                .level(SendFigure.WINDOW_MAX.of(8080), End.SERVER, 11_648)
                .level(SendFigure.BUFFER.of(8080), End.SERVER, 16_384)
                .clientSysctl("net.ipv4.tcp_rmem", "4096 16384 16384")
                .serverSysctl("net.ipv4.tcp_wmem", "4096\t16384\t16384");
    }

    private static Recorded put(Recorded recorded, SendFigure figure, double value) {
        return recorded.level(figure.of(8080), End.SERVER, value);
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.TCP_WINDOW);
    }

    @Test
    void a_window_that_is_used_up_is_named_at_the_client() {
        Diagnosis diagnosis = limited(40, 1).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the client's window was used up for 40.0 s, as a sum over the connections",
                        "the send buffer was full, and all in it was sent, for 1.0 s, as a sum over the connections",
                        "connections had something to send for 90.0 s",
                        "each answer waits 205 ms of its 500 ms until TCP may send more",
                        "the client's window was at most 8832 bytes; a round trip takes 21 ms");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_full_send_buffer_is_named_at_the_server() {
        Diagnosis diagnosis = limited(1, 60).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "the limit of the send buffer was at most 16384 bytes; a round trip takes 21 ms");
    }

    @Test
    void in_an_open_loop_the_harm_is_the_latency() {
        Diagnosis diagnosis = limited(60, 0).open(0, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
    }

    @Test
    void answers_that_mostly_fit_are_not() {
        Recorded recorded = limited(20, 2);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(because(recorded))
                .isEqualTo(
                        "TCP was not allowed to send in 24 % of the 90.0 s in which connections had something to send");
    }

    /// The service itself takes most of the time.
    @Test
    void a_short_part_of_a_long_answer_is_not() {
        Recorded recorded = limited(0.5, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 1e6);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(because(recorded))
                .endsWith("but that is only 2.50 ms of the 500 ms that an answer takes");
    }

    /// 0.8 s for 200 answers of 10 ms are 4 ms of each.
    @Test
    void waits_of_a_few_milliseconds_are_not() {
        Recorded recorded = brief(0.8);
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(recorded))
                .endsWith("but that is only 4.00 ms of the 10.00 ms that an answer takes");
        assertThat(brief(1.2).diagnosed().wallId()).contains(WALL);
    }

    private static Recorded brief(double windowSeconds) {
        return put(limited(windowSeconds, 0), SendFigure.ROUND_TRIP, 1_050)
                .level(SendFigure.ROUND_TRIP_MIN.of(8080), End.SERVER, 1_000)
                .grows(SendFigure.BUSY.of(8080), End.SERVER, 1.5e6)
                .unloadedMillis(10)
                .responseMillis(10, 200);
    }

    /// 100 ms of 500 ms.
    @Test
    void a_fifth_of_an_answers_time_is_not() {
        Recorded recorded = limited(20, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 40e6);
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(recorded))
                .endsWith("but that is only 100 ms of the 500 ms that an answer takes");
        Recorded third = limited(32, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 40e6);
        assertThat(third.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void less_than_a_round_trip_for_each_answer_is_not() {
        Recorded recorded =
                limited(40, 0)
                        .level(SendFigure.ROUND_TRIP.of(8080), End.SERVER, 210_000)
                        .level(SendFigure.ROUND_TRIP_MIN.of(8080), End.SERVER, 205_000);
        assertThat(recorded.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// The 200 answers took 100 s.
    @Test
    void the_waits_of_other_clients_of_the_port_are_only_near() {
        Recorded others = limited(121, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 150e6);
        assertThat(others.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(others.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
        assertThat(because(others)).endsWith("other clients use this port");
        Recorded own = limited(119, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 150e6);
        assertThat(own.diagnosed().wallId()).contains(WALL);
        others.unanswered(10);
        assertThat(others.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void an_idle_service_is_not() {
        Recorded recorded = limited(0, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 0);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// A reader that is late acknowledges late, and so does a full link.
    @Test
    void round_trips_that_grew_are_a_slow_reader_or_a_full_link() {
        Recorded recorded = put(limited(60, 0), SendFigure.ROUND_TRIP, 39_700);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
        assertThat(because(recorded))
                .endsWith(
                        "round trips grew from 20 ms to 40 ms: the client reads slowly, or a link is full");
    }

    @Test
    void a_client_that_closes_its_window_reads_slowly() {
        Recorded recorded = put(limited(60, 0), SendFigure.WINDOW_MAX, 80_000);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(because(recorded))
                .endsWith("the client closed its window from 80000 to 8832 bytes: it reads slowly");
    }

    @Test
    void without_readings_or_answers_it_is_unknown() {
        assertThat(because(Recorded.healthy())).contains("readings");
        assertThat(because(limited(60, 0).command())).contains("answers");
    }

    @Test
    void the_setting_of_the_end_that_limits_is_raised() {
        assertThat(remedies(limited(60, 0), End.CLIENT))
                .containsExactly("net.ipv4.tcp_rmem 4096 16384 16384 -> 4096 16384 4194304");
        assertThat(remedies(limited(0, 60), End.SERVER))
                .containsExactly("net.ipv4.tcp_wmem 4096 16384 16384 -> 4096 16384 4194304");
    }

    @Test
    void a_buffer_that_the_service_set_itself_is_not_raised_by_a_sysctl() {
        Recorded own = limited(0, 60).serverSysctl("net.ipv4.tcp_wmem", "4096\t16384\t4194304");
        assertThat(remedies(own, End.SERVER)).isEmpty();
        assertThat(new TcpWindow().advice(own.diagnosed().headline(), own.observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.contains("SO_SNDBUF"));
    }

    private static Experiment experiment() {
        return RemedyTest.experiment(RemedyTest.service("web", Map.of(), Limits.NONE));
    }

    private static List<String> remedies(Recorded recorded, End end) {
        Judgement.Binds binds = recorded.diagnosed().headline();
        assertThat(binds.end()).isEqualTo(end);
        return new TcpWindow()
                .remedies(binds, recorded.observation(), experiment()).stream()
                        .map(Remedy::text)
                        .toList();
    }

    @Test
    void requests_that_fail_are_the_harm() {
        assertThat(limited(60, 0).error("timeout", 9).diagnosed().headline().harm())
                .isEqualTo(Harm.ERRORS);
        assertThat(limited(60, 0).lockstep().batchMillis(500, 20).diagnosed().headline().harm())
                .isEqualTo(Harm.THROUGHPUT);
    }

    /// A second port, where the connections wait for longer in all.
    @Test
    void of_several_ports_the_one_with_the_longest_waits_counts() {
        Recorded two = limited(20, 0);
        two.grows(SendFigure.BUSY.of(9090), End.SERVER, 60e6)
                .grows(SendFigure.WINDOW_LIMITED.of(9090), End.SERVER, 40e6)
                .level(SendFigure.ROUND_TRIP.of(9090), End.SERVER, 20_500)
                .level(SendFigure.ROUND_TRIP_MIN.of(9090), End.SERVER, 20_000)
                .level(SendFigure.WINDOW.of(9090), End.SERVER, 8_832)
                .level(SendFigure.WINDOW_MAX.of(9090), End.SERVER, 11_648);
        assertThat(two.diagnosed().wallId()).contains(WALL);
        assertThat(two.diagnosed().headline().evidence())
                .extracting(Evidence::name)
                .contains("send[9090].windowLimited");
        two.grows(SendFigure.WINDOW_LIMITED.of(8080), End.SERVER, 41e6)
                .grows(SendFigure.BUSY.of(8080), End.SERVER, 205e6);
        assertThat(because(two)).startsWith("TCP was not allowed to send in 20 % of the 205.0 s");
        two.put(SendFigure.BUSY.of(8080), End.SERVER, Double.NaN, Double.NaN, Double.NaN);
        assertThat(two.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void without_the_round_trips_it_is_near() {
        for (SendFigure missing : List.of(SendFigure.ROUND_TRIP, SendFigure.ROUND_TRIP_MIN)) {
            Recorded recorded = put(limited(60, 0), missing, Double.NaN);
            assertThat(recorded.diagnosed().wallId()).as("%s", missing).isEmpty();
            assertThat(because(recorded)).startsWith("TCP was not allowed to send in 67 %");
        }
    }

    /// The window of the send buffer's end has no part in it.
    @Test
    void a_closed_window_is_no_matter_if_the_send_buffer_is_the_limit() {
        Recorded recorded = put(limited(0, 60), SendFigure.WINDOW_MAX, 80_000);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void the_largest_buffer_of_the_kernel_is_raised_only_if_it_was_reached() {
        assertThat(remedies(wide(limited(60, 0), 11_648), End.CLIENT)).hasSize(1);
        assertThat(remedies(wide(limited(60, 0), 4L * 11_648 + 1), End.CLIENT)).isEmpty();
        assertThat(remedies(wide(limited(60, 0), 46_592), End.CLIENT))
                .containsExactly("net.ipv4.tcp_rmem 4096 16384 46592 -> 4096 16384 4194304");
        assertThat(remedies(limited(60, 0).clientSysctl(RECEIVE, "4096"), End.CLIENT)).isEmpty();
        Recorded large = put(wide(limited(60, 0), 2 << 20), SendFigure.WINDOW_MAX, 1 << 20);
        assertThat(remedies(put(large, SendFigure.WINDOW, 1 << 20), End.CLIENT))
                .containsExactly("net.ipv4.tcp_rmem 4096 16384 2097152 -> 4096 16384 8388608");
    }

    private static Recorded wide(Recorded recorded, long bytes) {
        return recorded.clientSysctl(RECEIVE, "4096 16384 " + bytes);
    }

    @Test
    void a_send_buffer_counts_as_full_grown_from_nine_tenths_on() {
        Recorded own = limited(0, 60).serverSysctl("net.ipv4.tcp_wmem", "4096 16384 18204");
        assertThat(remedies(own, End.SERVER)).hasSize(1);
        own.serverSysctl("net.ipv4.tcp_wmem", "4096 16384 18205");
        assertThat(remedies(own, End.SERVER)).isEmpty();
    }

    @Test
    void a_knob_for_the_buffer_is_raised() {
        Knob buffer = new Knob("16384", WallId.TCP_WINDOW, null, List.of());
        Recorded own = limited(0, 60).serverSysctl("net.ipv4.tcp_wmem", "4096 16384 4194304");
        assertThat(RemedyTest.texts(own, Map.of("sendBuffer", buffer), Limits.NONE))
                .containsExactly("sendBuffer 16384 -> 65536");
    }

    @Test
    void the_advice_is_for_the_end_that_limits() {
        Recorded recorded = limited(60, 0);
        assertThat(new TcpWindow().advice(recorded.diagnosed().headline(), recorded.observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.contains(RECEIVE + " on the client's host"))
                .anyMatch(text -> text.contains("SO_RCVBUF"))
                .noneMatch(text -> text.contains("SO_SNDBUF"));
    }

    /// The kernel reports the connections of a port to everybody.
    @Test
    void a_hidden_service_is_judged_by_the_connections_to_its_port() {
        Recorded hidden = limited(20, 2).unwatched();
        assertThat(because(hidden)).startsWith("TCP was not allowed to send in 24 %");
        assertThat(limited(60, 0).unwatched().diagnosed().wallId()).contains(WALL);
        double unread = Double.NaN;
        hidden.put(ListenFigure.DROPS.of(8080), End.SERVER, unread, unread, unread);
        assertThat(because(hidden)).startsWith("unknown");
    }

    @Test
    void sockets_without_memory_explain_the_waits() {
        Recorded recorded =
                limited(60, 0)
                        .error("reset", 9)
                        .level(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, 2 << 20)
                        .level(CgroupFigure.TCP_MEMORY_LIMIT.of("users"), End.SERVER, 1 << 20)
                        .grows(KernelCounter.PRUNED, End.SERVER, 120);
        assertThat(recorded.diagnosed().wallId()).contains("tcp-memory");
        assertThat(because(recorded)).endsWith(", because the sockets lacked memory");
    }

    /// 200 answers took 100 s, and the kernel counted 121 s.
    @Test
    void requests_that_failed_waited_too() {
        Recorded failed = limited(121, 0).grows(SendFigure.BUSY.of(8080), End.SERVER, 150e6);
        assertThat(because(failed)).endsWith("other clients use this port");
        assertThat(failed.failedSeconds(2).diagnosed().wallId()).contains(WALL);
    }

    @Test
    void the_evidence_has_the_wait_of_an_answer_and_no_limit_that_was_not_met() {
        List<Evidence> evidence = limited(40, 0).diagnosed().headline().evidence();
        assertThat(evidence).extracting(Evidence::name).doesNotContain("send[8080].bufferLimited");
        assertThat(evidence)
                .filteredOn(one -> one.name().equals("time without permission to send"))
                .singleElement()
                .satisfies(wait -> {
                    assertThat(wait.after()).isCloseTo(200e3, within(1.0));
                    assertThat(wait.limit()).isCloseTo(150e3, within(200.0));
                });
    }
}
