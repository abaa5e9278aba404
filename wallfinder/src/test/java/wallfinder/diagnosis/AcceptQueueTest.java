package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;

class AcceptQueueTest {
    private static final Optional<String> ACCEPT_QUEUE = Optional.of("accept-queue");

    private static Recorded resetting() {
        return Recorded.healthy()
                .error("reset", 900)
                .error("connect-reset", 100)
                .listener(8080, 129, 128, 1_000)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 1_000);
    }

    @Test
    void a_full_queue_whose_connections_the_kernel_resets_harms_by_errors() {
        Diagnosis diagnosis =
                resetting().serverSysctl("net.ipv4.tcp_abort_on_overflow", "1").diagnosed();
        assertThat(diagnosis.wallId()).isEqualTo(ACCEPT_QUEUE);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e -> assertThat(e.says()).contains("1000 connections were reset"));
    }

    @Test
    void the_kernels_own_count_of_resets_shows_the_same() {
        Recorded counted = resetting().grows(KernelCounter.EMBRYONIC_RESETS, End.SERVER, 1_000);
        assertThat(counted.diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
    }

    @Test
    void resets_of_a_service_whose_kernel_only_drops_have_another_cause() {
        assertThat(resetting().diagnosed().wallId()).isNotEqualTo(ACCEPT_QUEUE);
        assertThat(
                        resetting()
                                .serverSysctl("net.ipv4.tcp_abort_on_overflow", "0")
                                .diagnosed()
                                .wallId())
                .isNotEqualTo(ACCEPT_QUEUE);
    }

    @Test
    void one_overflow_does_not_explain_a_thousand_resets() {
        Recorded one =
                resetting()
                        .serverSysctl("net.ipv4.tcp_abort_on_overflow", "1")
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 1);
        assertThat(one.diagnosed().wallId()).isNotEqualTo(ACCEPT_QUEUE);
    }

    private static Recorded repeating(double overflows, double syns) {
        return Recorded.healthy()
                .connections(512)
                .responseMillis(20, 10_000)
                .alsoResponseMillis(1_040, 500)
                .connectMillis(1_030, 500)
                .listener(8080, 1, 128, overflows)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, overflows)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, syns);
    }

    @Test
    void one_overflow_beside_500_syns_that_were_lost_elsewhere_is_not_the_wall() {
        Diagnosis diagnosis = repeating(1, 500).diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(ACCEPT_QUEUE);
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out ->
                        assertThat(out.because())
                                .isEqualTo(
                                        "the accept queue overflowed 1 times, which does not explain 500 repeated handshakes"));
    }

    /// The first burst of connects overflows the queue; later, answers wait for a worker.
    @Test
    void a_few_slow_connects_do_not_make_one_answer_in_a_hundred_slow() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .connections(400)
                        .unloadedMillis(500)
                        .responseMillis(1_000, 3_900)
                        .alsoResponseMillis(1_100, 100)
                        .connectMillis(1_030, 12)
                        .listener(8080, 1, 100, 12)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 12)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 12)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// Four listeners share the port; one of them accepts too slowly.
    @Test
    void one_full_queue_of_several_on_the_same_port_is_named_with_their_number() {
        Recorded shared =
                Recorded.healthy()
                        .connectMillis(1_030, 80)
                        .alsoResponseMillis(1_030, 800)
                        .listener(8080, 9, 8, 244)
                        .level(ListenFigure.SOCKETS.of(8080), End.SERVER, 4)
                        .put(ListenFigure.DROPPING.of(8080), End.SERVER, 0, 1, 1)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 244)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 240);
        Diagnosis diagnosis = shared.diagnosed();
        assertThat(diagnosis.wallId()).isEqualTo(ACCEPT_QUEUE);
        Judgement.Binds binds = diagnosis.headline();
        assertThat(binds.evidence())
                .anyMatch(one ->
                        one.says()
                                .endsWith(
                                        "1 of the 4 sockets that listen on port 8080 dropped"
                                                + " handshakes"));
        assertThat(binds.wall().advice(binds, shared.observation()).getFirst().command())
                .contains("accepts too slowly");
        shared.level(ListenFigure.DROPPING.of(8080), End.SERVER, 4);
        assertThat(binds.wall().advice(binds, shared.observation()).getFirst().command())
                .contains("backlog");
    }

    @Test
    void as_many_overflows_as_repeated_syns_are_the_wall() {
        assertThat(repeating(480, 500).diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
    }

    @Test
    void on_the_hosts_own_network_slow_connects_are_compared() {
        assertThat(repeating(1, 0).host().diagnosed().wallId()).isNotEqualTo(ACCEPT_QUEUE);
        assertThat(repeating(480, 0).host().diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
    }

    /// The queue overflowed at the beginning, and the resets came 9 s later.
    @Test
    void overflows_at_another_moment_than_the_errors_are_not_the_wall() {
        Recorded aborting =
                resetting().serverSysctl("net.ipv4.tcp_abort_on_overflow", "1").everySecond();
        aborting.put(
                KernelCounter.LISTEN_OVERFLOWS,
                End.SERVER,
                0,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000);
        aborting.put(LoadFigure.ERRORS, End.CLIENT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1_000);
        assertThat(aborting.diagnosed().wallId()).isNotEqualTo(ACCEPT_QUEUE);
        aborting.put(
                LoadFigure.ERRORS,
                End.CLIENT,
                0,
                900,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000,
                1_000);
        assertThat(aborting.diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
    }

    /// All SYNs of a batch arrive before the queue is full, so the kernel drops the last packets of
    /// handshakes. Connects are fast then, and first answers are late.
    private static Recorded dropsLastPackets(double overflows, double retransmits) {
        return Recorded.healthy()
                .connections(64)
                .responseMillis(20, 2_000)
                .alsoResponseMillis(640, 150)
                .connectMillis(1, 2_000)
                .listener(8080, 6, 5, overflows)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, overflows)
                .grows(KernelCounter.RETRANSMITS, End.CLIENT, retransmits);
    }

    @Test
    void answers_that_are_late_because_the_end_of_a_handshake_was_dropped_are_the_wall() {
        Diagnosis diagnosis = dropsLastPackets(200, 200).diagnosed();
        assertThat(diagnosis.wallId()).isEqualTo(ACCEPT_QUEUE);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e ->
                        assertThat(e.says())
                                .startsWith("150 answers took at least 190 ms longer than one"));
        assertThat(dropsLastPackets(200, 200).host().diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
    }

    @Test
    void a_full_queue_does_not_explain_more_late_answers_than_its_drops() {
        assertThat(because(dropsLastPackets(20, 20))).endsWith("without harm to this load");
        assertThat(because(dropsLastPackets(20, 20).host())).endsWith("without harm to this load");
    }

    @Test
    void segments_that_the_path_lost_are_not_the_queues() {
        assertThat(because(dropsLastPackets(100, 400))).endsWith("without harm to this load");
    }

    /// Half of the answers wait for something else, which limits the rate.
    @Test
    void beside_another_queue_the_late_answers_are_only_its_tail() {
        Recorded queued = dropsLastPackets(200, 200).unloadedMillis(5);
        assertThat(queued.diagnosed().headline().harm()).isEqualTo(Harm.LATENCY);
    }

    /// Half of the answers wait for something else for longer than a time-out of TCP.
    @Test
    void beside_another_queue_that_is_long_the_late_answers_are_only_its_tail() {
        Recorded queued =
                dropsLastPackets(200, 200)
                        .unloadedMillis(5)
                        .responseMillis(300, 2_000)
                        .alsoResponseMillis(1_000, 150);
        assertThat(queued.diagnosed().headline().harm()).isEqualTo(Harm.LATENCY);
    }

    @Test
    void a_command_that_retransmits_to_a_full_queue_is_at_the_wall() {
        Recorded command = dropsLastPackets(200, 200).command();
        assertThat(command.diagnosed().wallId()).isEqualTo(ACCEPT_QUEUE);
        Recorded none = dropsLastPackets(200, 0).command();
        assertThat(none.diagnosed().wallId()).isEmpty();
    }

    /// The listener can be read, but its process belongs to another user.
    private static Recorded hidden() {
        Recorded hidden = repeating(500, 0).host().unwatched().connections(64);
        hidden.responseMillis(20, 1_000).alsoResponseMillis(1_040, 500);
        return hidden.cpuShare(0);
    }

    private static Recorded fullest(Recorded recorded, double descriptors) {
        return recorded.level(EndFigure.FULLEST_DESCRIPTORS, End.SERVER, descriptors)
                .level(EndFigure.FULLEST_LIMIT, End.SERVER, 1024);
    }

    @Test
    void a_hidden_service_whose_queue_dropped_handshakes_is_named() {
        Diagnosis diagnosis = fullest(hidden(), 1024 - 2 * 64).diagnosed();
        assertThat(diagnosis.wallId()).isEqualTo(ACCEPT_QUEUE);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.LATENCY);
        assertThat(diagnosis.headline().evidence())
                .anySatisfy(e -> assertThat(e.says()).contains("500 were dropped"));
    }

    /// Without descriptors, nobody can accept.
    @Test
    void a_hidden_service_that_may_lack_descriptors_is_only_near() {
        assertNearWithout(fullest(hidden(), 1023).diagnosed());
        assertNearWithout(hidden().diagnosed());
        assertNearWithout(fullest(hidden(), 1024 - 2 * 64 + 1).diagnosed());
        assertNearWithout(fullest(hidden(), Double.NaN).diagnosed());
    }

    private static void assertNearWithout(Diagnosis diagnosis) {
        assertThat(diagnosis.wallId()).isEmpty();
        assertThat(diagnosis.caveats())
                .anySatisfy(caveat ->
                        assertThat(caveat.advice())
                                .contains("a descriptor to accept with is unknown"));
    }

    @Test
    void the_queue_of_a_hidden_service_that_never_overflowed_is_ruled_out() {
        Recorded healthy = Recorded.healthy().host().unwatched().listener(8080, 3, 4096, 0);
        assertThat(because(healthy))
                .isEqualTo("no accept queue overflowed: 3 of 4096 places were seen in use");
    }

    @Test
    void the_queue_of_a_service_on_another_host_is_unknown() {
        Recorded elsewhere = Recorded.healthy().host().unwatched();
        elsewhere.level(ListenFigure.DROPS.of(8080), End.SERVER, Double.NaN);
        assertThat(because(elsewhere)).contains("unknown");
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.ACCEPT_QUEUE);
    }
}
