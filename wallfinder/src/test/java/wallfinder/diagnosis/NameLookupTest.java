package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;

class NameLookupTest {
    private static final String WALL = "name-lookup";

    /// There are 64 connections, and this many lookups wait at a time.
    private static Recorded waiting(double atATime, double longestSeconds) {
        return at(End.SERVER, Recorded.healthy(), atATime, longestSeconds);
    }

    private static Recorded at(End end, Recorded recorded, double atATime, double longestSeconds) {
        return recorded.level(EndFigure.LOOKUPS_WAITING, end, atATime)
                .put(EndFigure.LOOKUPS_LONGEST, end, 0, 0, longestSeconds)
                .grows(KernelCounter.UDP_SENT, end, 600)
                .grows(KernelCounter.UDP_RECEIVED, end, 300);
    }

    /// As recorded from a service that asks a dead name server first: each request takes a second.
    @Test
    void requests_that_wait_for_a_dead_name_server_are_named_although_a_single_request_waits_too() {
        Diagnosis diagnosis =
                waiting(62, 1.05)
                        .unloadedMillis(1_012)
                        .responseMillis(1_020, 620)
                        .cpuShare(0.02)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.headline().evidence().getFirst().limit()).isEqualTo(64);
        assertThat(diagnosis.headline().evidence().get(1).says())
                .isEqualTo("600 UDP datagrams were sent, and 300 came back");
    }

    @Test
    void a_name_server_that_answers_slowly_under_load_only_harms_the_throughput() {
        Diagnosis diagnosis =
                waiting(50, 0.4).responseMillis(400, 1_600).cpuShare(0.05).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void few_workers_that_look_up_names_are_stopped_by_the_lookups() {
        Diagnosis diagnosis =
                waiting(3.6, 1.0)
                        .unloadedMillis(1_010)
                        .responseMillis(16_000, 40)
                        .cpuShare(0.02)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
    }

    /// Four workers, whose requests take 400 ms each when alone. A lookup that takes longer than
    /// twice that, and two samples, is no part of one request.
    @ParameterizedTest
    @CsvSource({"3.2, 0.9, true", "3.2, 1.1, false", "2.8, 0.9, false", "50, 1.1, true"})
    void lookups_within_the_requests_of_few_workers_have_to_fill_the_workers(
            double atATime, double longestSeconds, boolean named) {
        Diagnosis diagnosis =
                waiting(atATime, longestSeconds)
                        .unloadedMillis(400)
                        .responseMillis(6_400, 100)
                        .cpuShare(0.02)
                        .diagnosed();
        assertThat(diagnosis.wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    /// At one of three instants many lookups wait.
    @Test
    void lookups_that_seldom_wait_do_not_explain_the_load() {
        Recorded seldom = waiting(0, 0).responseMillis(5_000, 128).cpuShare(0.02);
        seldom.put(EndFigure.LOOKUPS_WAITING, End.SERVER, 0, 192, 0)
                .put(EndFigure.LOOKUPS_LONGEST, End.SERVER, 0, 5, 0);
        assertThat(seldom.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(seldom)).endsWith("and the requests did not wait for it");
        seldom.put(EndFigure.LOOKUPS_LONGEST, End.SERVER, 0, 0.4, 0);
        assertThat(because(seldom)).endsWith("too few and too short to slow the load");
    }

    /// The engine looks up no names, so another program of the client does.
    @Test
    void lookups_beside_the_engine_do_not_explain_the_load() {
        Recorded beside = at(End.CLIENT, Recorded.healthy(), 64, 5).responseMillis(5_000, 128);
        assertThat(beside.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(beside)).endsWith("and the requests did not wait for it");
    }

    /// The requests wait since before the measurement. Without any, a resolver keeps the sockets.
    @Test
    void sockets_that_are_older_than_any_answer_belong_to_requests_without_one() {
        Recorded old = waiting(60, 10).responseMillis(16, 100).cpuShare(0.02);
        assertThat(old.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(old.unanswered(20).diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(old.unanswered(64).diagnosed().wallId()).contains(WALL);
        Recorded answered = waiting(60, 10).unanswered(64);
        assertThat(answered.diagnosed().wallId())
                .as("64 requests are under way at any time, and each gets its answer")
                .isNotEqualTo(Optional.of(WALL));
    }

    /// Each request asks a name server that answers quickly, and fails for another reason.
    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "100, false", "100, true"})
    void quick_lookups_of_requests_that_fail_are_only_near(long good, boolean open) {
        Recorded failing =
                waiting(2, 0.1)
                        .responseMillis(16, good)
                        .bad(500, 16, 39_000)
                        .grows(KernelCounter.UDP_RECEIVED, End.SERVER, 600);
        Diagnosis diagnosis = (open ? failing.open(0, 0) : failing).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// Each request waits a second for the lookup. Further requests wait for a connection.
    @Test
    void in_an_open_loop_only_requests_that_have_a_connection_look_names_up() {
        Recorded overloaded = waiting(62, 1.05).responseMillis(5_000, 640).cpuShare(0.02);
        assertThat(overloaded.open(0, 600).diagnosed().wallId()).contains(WALL);
    }

    /// In an open loop, ten requests are under way at a time.
    @ParameterizedTest
    @CsvSource({"9, true", "7, false"})
    void in_an_open_loop_the_requests_under_way_wait_for_lookups(double atATime, boolean named) {
        Recorded open = waiting(atATime, 1.05).responseMillis(1_000, 100).cpuShare(0.02);
        assertThat(open.open(0, 0).diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    @Test
    void in_an_open_loop_requests_that_time_out_wait_for_lookups_too() {
        Recorded open = waiting(7, 5).responseMillis(16, 100).cpuShare(0.02).open(0, 0);
        assertThat(open.error("timeout", 20).failedSeconds(100).diagnosed().wallId()).isEmpty();
        assertThat(open.failedSeconds(90).diagnosed().wallId()).contains(WALL);
    }

    @Test
    void quick_lookups_do_not_explain_a_small_pool() {
        Diagnosis diagnosis =
                waiting(1.2, 0)
                        .unloadedMillis(30)
                        .responseMillis(480, 1_333)
                        .cpuShare(0.05)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// As recorded over 3.5 s: the first of five answers belongs to a request from before the
    /// measurement.
    @Test
    void no_more_requests_are_at_work_than_there_are_connections() {
        Diagnosis diagnosis =
                waiting(64, 0.9)
                        .unloadedMillis(1_000)
                        .responseMillis(814, 910)
                        .cpuShare(0.02)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
    }

    /// Four workers in Go, of which each lookup takes 40 of 150 ms and two sockets: 2.1 sockets at
    /// a time.
    @Test
    void lookups_with_two_sockets_each_are_only_near() {
        Diagnosis diagnosis =
                waiting(2.1, 0.1)
                        .unloadedMillis(150)
                        .responseMillis(2_400, 267)
                        .cpuShare(0.05)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// As nginx keeps one for each worker. All connections have their answers after 16 ms.
    @Test
    void sockets_that_a_resolver_keeps_are_only_near() {
        Diagnosis diagnosis = waiting(60, 10).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
        Diagnosis failing = waiting(60, 10).error("status-5xx", 1).diagnosed();
        assertThat(failing.verdict()).isEqualTo(Verdict.NONE);
        assertThat(failing.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void lookups_that_hang_in_the_background_are_only_near() {
        Diagnosis cpu =
                waiting(1, 5)
                        .unloadedMillis(2)
                        .responseMillis(64, 10_000)
                        .cpuShare(0.97)
                        .diagnosed();
        assertThat(cpu.wallId()).contains("cpu");
        assertThat(cpu.also()).isEmpty();
        assertThat(cpu.caveats()).extracting(Caveat::id).contains("near:" + WALL);
        Diagnosis none = waiting(1, 5).diagnosed();
        assertThat(none.verdict()).isEqualTo(Verdict.NONE);
        assertThat(none.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// The service sends 80,000 datagrams and gets no answer.
    private static Recorded refused(double times, long failed) {
        return waiting(0, 0)
                .error("status-5xx", failed)
                .level(EndFigure.UDP_OTHERS, End.SERVER, 0)
                .grows(KernelCounter.UDP_SENT, End.SERVER, 80_000)
                .grows(KernelCounter.UDP_RECEIVED, End.SERVER, 0)
                .grows(KernelCounter.UNREACHABLE, End.SERVER, times);
    }

    @Test
    void refused_lookups_while_requests_fail_are_named() {
        Recorded refused = refused(80_000, 40_000);
        assertThat(refused.diagnosed().wallId()).contains(WALL);
        assertThat(refused.diagnosed().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(refused.serverSysctl("resolver", "10.0.0.53").diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "80000 times the answer was that nothing listens there",
                        "80000 UDP datagrams were sent, and 0 came back",
                        "the resolver is 10.0.0.53");
        refused.grows(KernelCounter.UDP_RECEIVED, End.SERVER, 80_000);
        assertThat(refused.diagnosed().wallId()).isEmpty();
    }

    @Test
    void lookups_that_are_refused_over_ipv6_are_named() {
        Recorded refused =
                waiting(0, 0)
                        .error("status-5xx", 40_000)
                        .level(EndFigure.UDP_OTHERS, End.SERVER, 0)
                        .grows(KernelCounter.UDP6_SENT, End.SERVER, 80_000)
                        .grows(KernelCounter.UDP6_RECEIVED, End.SERVER, 0)
                        .grows(KernelCounter.UNREACHABLE6, End.SERVER, 80_000);
        Diagnosis diagnosis = refused.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(new NameLookup().proof(diagnosis.headline())).isEqualTo(Proof.KERNEL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains("80000 UDP datagrams were sent over IPv6, and 0 came back");
        refused.grows(KernelCounter.UDP6_RECEIVED, End.SERVER, 80_000);
        assertThat(refused.diagnosed().wallId()).isEmpty();
    }

    /// Such as metrics without an agent, while requests fail for another reason.
    @Test
    void refusals_of_a_service_that_sends_something_else_by_udp_are_only_near() {
        Recorded metrics = refused(80_000, 40_000).level(EndFigure.UDP_OTHERS, End.SERVER, 1);
        assertThat(metrics.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(metrics.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
        assertThat(because(metrics))
                .isEqualTo(
                        "80000 UDP datagrams were refused, but no lookup was seen: they may be metrics or logs that nobody receives");
        metrics.put(EndFigure.LOOKUPS_WAITING, End.SERVER, 0, 1, 0);
        assertThat(metrics.diagnosed().wallId()).contains(WALL);
    }

    /// A socket that is open for a moment may serve to sort the addresses of a name.
    @Test
    void another_socket_that_does_not_stay_open_does_not_explain_refusals() {
        Recorded refused = refused(80_000, 40_000);
        refused.put(EndFigure.UDP_OTHERS, End.SERVER, 0, 1, 0);
        assertThat(refused.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void refusals_are_only_near_if_the_other_sockets_were_not_read() {
        Recorded refused = refused(80_000, 40_000);
        refused.level(EndFigure.UDP_OTHERS, End.SERVER, Double.NaN);
        assertThat(refused.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// REFUSED_SHARE and FAILED_SHARE of 40,000 answers.
    @Test
    void refusals_that_do_not_explain_the_failures_and_few_failures_are_not_named() {
        assertThat(refused(16_000, 40_000).diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(refused(20_000, 40_000).diagnosed().wallId()).contains(WALL);
        assertThat(refused(80_000, 399).diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(refused(80_000, 401).diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_load_command_that_waits_for_lookups_has_the_wall_on_its_end() {
        Recorded client =
                at(End.CLIENT, Recorded.healthy().command(), 1, 5)
                        .responseMillis(16, 0)
                        .cpuShare(0.01)
                        .error("command", 3);
        Diagnosis diagnosis = client.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    /// If nothing is known about the requests, a single lookup at a time may be a background
    /// lookup.
    @Test
    void a_service_under_a_load_command_is_named_only_for_several_lookups_at_a_time() {
        Recorded one = waiting(1, 5).command().responseMillis(16, 0).cpuShare(0.01);
        assertThat(one.diagnosed().wallId()).isEmpty();
        assertThat(one.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
        Recorded many = waiting(9, 5).command().responseMillis(16, 0).cpuShare(0.01);
        assertThat(many.diagnosed().wallId()).contains(WALL);
        assertThat(many.diagnosed().headline().end()).isEqualTo(End.SERVER);
        assertThat(many.diagnosed().headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(many.diagnosed().headline().evidence().getFirst().limit()).isNull();
    }

    @Test
    void a_busy_service_under_a_load_command_does_not_wait_for_lookups() {
        Recorded busy = waiting(9, 5).command().responseMillis(16, 0).cpuShare(0.6);
        assertThat(busy.diagnosed().wallId()).isEmpty();
        Recorded seldom = waiting(0, 0).command().responseMillis(16, 0).cpuShare(0.01);
        seldom.put(EndFigure.LOOKUPS_WAITING, End.SERVER, 0, 9, 9, 0)
                .put(EndFigure.LOOKUPS_LONGEST, End.SERVER, 0, 0, 5, 0);
        assertThat(seldom.diagnosed().wallId()).isEmpty();
    }

    /// Without a namespace of its own, the sockets are those of the service, and the datagrams
    /// those of the whole host.
    @Test
    void on_a_shared_host_the_sockets_of_the_service_prove_the_wall_and_datagrams_do_not() {
        Diagnosis diagnosis = waiting(62, 5).host().responseMillis(5_000, 5_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .noneMatch(says -> says.contains("datagrams"));
    }

    /// Others get ICMP messages instead of answers, while requests fail for another reason.
    @Test
    void refusals_on_a_shared_host_prove_nothing() {
        Recorded refused = refused(80_000, 40_000);
        assertThat(refused.diagnosed().wallId()).contains(WALL);
        assertThat(refused.host().diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// A sample without a value was taken before it was known whose the sockets were.
    @Test
    void samples_without_a_value_do_not_count() {
        Recorded waiting =
                Recorded.healthy()
                        .responseMillis(5_000, 5_000)
                        .put(EndFigure.LOOKUPS_WAITING, End.SERVER, Double.NaN, 62, 62)
                        .put(EndFigure.LOOKUPS_LONGEST, End.SERVER, Double.NaN, 4, 5);
        assertThat(waiting.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_knob_that_keeps_answers_is_raised_to_its_maximum() {
        Recorded slow = waiting(50, 0.4).responseMillis(400, 1_600).cpuShare(0.05);
        assertThat(
                        RemedyTest.texts(
                                slow,
                                Map.of("keep", new Knob("0", WallId.find(WALL), 60L, List.of())),
                                Limits.NONE))
                .containsExactly("keep 0 -> 60");
    }

    /// Whose lookups wait is hidden, but if none waits, the service's do not, either.
    @Test
    void the_lookups_of_a_host_are_not_those_of_a_hidden_service() {
        Recorded waiting = waiting(62, 5).host().unwatched().responseMillis(5_000, 5_000);
        assertThat(waiting.diagnosed().wallId()).isEmpty();
        assertThat(because(waiting)).contains("those of any program of the host");
        assertThat(because(waiting(0, 0).host().unwatched()))
                .isEqualTo("no name lookup was seen waiting");
        assertThat(because(Recorded.healthy().host().unwatched()))
                .isEqualTo("unknown: " + Missing.SERVER.reason());
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.NAME_LOOKUP);
    }
}
