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

class SynQueueTest {
    private static final String WALL = "syn-queue";

    private static Recorded dropping() {
        return Recorded.healthy()
                .listener(8080, 3, 64, 549)
                .grows(KernelCounter.SYN_QUEUE_DROPS, End.SERVER, 549)
                .grows(new KernelCounter("TcpExt.ListenDrops"), End.SERVER, 549)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 20)
                .serverSysctl("net.ipv4.tcp_syncookies", "0");
    }

    @Test
    void handshakes_dropped_at_their_first_packet_are_named() {
        Diagnosis diagnosis =
                dropping().error("connect-timeout", 500).connectMillis(1_030, 80).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "TcpExt.TCPReqQFullDrop", "listen[8080].limit", "TcpExt.TCPSynRetrans");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void slow_connects_alone_harm_the_throughput() {
        Diagnosis diagnosis = dropping().connectMillis(1_030, 200).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void drops_without_harm_are_only_near() {
        Diagnosis diagnosis = dropping().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_syn_queue_that_fills_behind_a_full_accept_queue_is_an_effect() {
        Diagnosis diagnosis =
                dropping()
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void drops_of_another_service_on_the_host_do_not_count() {
        Diagnosis diagnosis =
                dropping()
                        .host()
                        .listener(8080, 3, 64, 0)
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    private static Judgement.NotBinding ruledOut(Recorded recorded) {
        return NotNamed.of(recorded.diagnosed(), WallId.SYN_QUEUE);
    }

    @Test
    void cookies_alone_are_near() {
        Recorded cookies =
                dropping()
                        .grows(KernelCounter.SYN_QUEUE_DROPS, End.SERVER, 0)
                        .grows(KernelCounter.SYN_COOKIES_SENT, End.SERVER, 30)
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80);
        assertThat(ruledOut(cookies).because())
                .isEqualTo(
                        "the queue of half-open connections was full, and SYN cookies replaced it 30 times");
        assertThat(ruledOut(cookies))
                .isInstanceOfSatisfying(
                        Judgement.Near.class,
                        near ->
                                assertThat(near.evidence().getFirst().says())
                                        .isEqualTo(
                                                "30 were answered with a cookie, without a place in the queue"));
    }

    /// Some service of the host sent cookies, and another one dropped handshakes.
    @Test
    void drops_of_another_service_are_no_evidence_beside_cookies() {
        Recorded host =
                dropping()
                        .host()
                        .listener(8080, 3, 64, 0)
                        .grows(KernelCounter.SYN_COOKIES_SENT, End.SERVER, 30);
        assertThat(ruledOut(host))
                .isInstanceOfSatisfying(
                        Judgement.Near.class,
                        near ->
                                assertThat(near.evidence())
                                        .extracting(Evidence::name)
                                        .doesNotContain("TcpExt.TCPReqQFullDrop")
                                        .contains("TcpExt.TCPReqQFullDoCookies"));
    }

    @Test
    void a_load_command_is_harmed_if_it_repeats_handshakes_or_reports_errors() {
        Recorded command = dropping().commandWithAnswers(20_000).error("command", 0);
        assertThat(command.diagnosed().wallId()).contains(WALL);
        assertThat(command.diagnosed().headline().harm()).isEqualTo(Harm.THROUGHPUT);
        command.grows(KernelCounter.SYN_RETRANS, End.CLIENT, 0);
        assertThat(command.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        command.error("command", 300);
        assertThat(command.diagnosed().wallId()).contains(WALL);
        assertThat(command.diagnosed().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    void a_queue_that_was_not_full_is_ruled_out_and_one_that_was_not_read_is_unknown() {
        Recorded empty = dropping().grows(KernelCounter.SYN_QUEUE_DROPS, End.SERVER, 0);
        assertThat(ruledOut(empty).because())
                .isEqualTo("no queue of half-open connections was full");
        assertThat(ruledOut(Recorded.healthy())).isInstanceOf(Judgement.Unknown.class);
        assertThat(ruledOut(empty.unwatched())).isInstanceOf(Judgement.Unknown.class);
    }

    /// On a host, another service's queue overflowed once. In a namespace of its own, the service's
    /// did.
    @Test
    void an_overflow_or_two_do_not_explain_hundreds_of_drops() {
        Recorded dropping =
                dropping()
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 1);
        assertThat(dropping.diagnosed().wallId()).contains(WALL);
        assertThat(dropping.host().diagnosed().wallId()).contains(WALL);
        assertThat(dropping.diagnosed().also()).isEmpty();
    }

    @Test
    void drops_of_the_syn_queue_are_no_overflows_of_the_accept_queue() {
        Recorded host =
                dropping()
                        .host()
                        .error("connect-timeout", 500)
                        .connectMillis(1_030, 80)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 0);
        assertThat(host.diagnosed().wallId()).contains(WALL);
        assertThat(host.diagnosed().also()).isEmpty();
    }

    @Test
    void the_evidence_has_the_limit_of_the_listener_that_dropped() {
        Recorded two = dropping().error("connect-timeout", 500).listener(8081, 0, 50, 0);
        assertThat(two.diagnosed().headline().evidence())
                .extracting(Evidence::name)
                .contains("listen[8080].limit");
    }

    @Test
    void cookies_are_turned_on_before_the_backlog_is_raised() {
        assertThat(
                        RemedyTest.texts(
                                dropping()
                                        .error("connect-timeout", 500)
                                        .serverSysctl("net.core.somaxconn", "4096"),
                                Map.of("depth", new Knob("64", WallId.find(WALL), null, List.of())),
                                Limits.NONE))
                .isEqualTo(List.of("net.ipv4.tcp_syncookies 0 -> 1", "depth 64 -> 4096"));
    }
}
