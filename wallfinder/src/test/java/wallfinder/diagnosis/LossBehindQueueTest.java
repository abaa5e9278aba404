package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;

/// An accept queue that overflows, in front of which the path may lose packets, too.
class LossBehindQueueTest {
    /// Each request has a connection of its own. Of 10,000 answers in 5 ms, 400 take 207 ms longer:
    /// the client repeated their requests. The queue overflowed 700 times: it dropped 300 SYNs, and
    /// the last packets of handshakes.
    private static Recorded full() {
        return Recorded.healthy()
                .connections(10)
                .unloadedMillis(5)
                .responseMillis(5, 9_600)
                .alsoResponseMillis(212, 400)
                .listener(8080, 6, 5, 700)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 700)
                .grows(KernelCounter.OUT_SEGMENTS, End.CLIENT, 50_000)
                .grows(KernelCounter.OUT_SEGMENTS, End.SERVER, 40_000)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 300)
                .grows(KernelCounter.RETRANSMITS, End.CLIENT, 700)
                .grows(KernelCounter.RETRANSMITS, End.SERVER, 0);
    }

    /// Of the packets, these never arrived.
    private static Recorded missing(Recorded recorded, double ofClient, double ofServer) {
        return recorded.grows(KernelCounter.OUT_PACKETS, End.CLIENT, 50_700)
                .grows(KernelCounter.IN_DELIVERED, End.SERVER, 50_700 - ofClient)
                .grows(KernelCounter.IN_SEGMENTS, End.SERVER, 50_700 - ofClient)
                .grows(KernelCounter.OUT_PACKETS, End.SERVER, 40_000)
                .grows(KernelCounter.IN_DELIVERED, End.CLIENT, 40_000 - ofServer)
                .grows(KernelCounter.IN_SEGMENTS, End.CLIENT, 40_000 - ofServer);
    }

    @Test
    void a_lossy_path_is_named_beside_a_full_queue() {
        Diagnosis diagnosis = missing(full(), 200, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.also())
                .singleElement()
                .satisfies(binds -> {
                    assertThat(binds.wall()).isEqualTo(new PacketLoss());
                    assertThat(binds.end()).isEqualTo(End.PATH);
                    assertThat(binds.evidence().getFirst().source())
                            .endsWith(", at most Ip.OutRequests - Ip.InDelivers of both ends");
                    assertThat(binds.evidence().getFirst().says())
                            .isEqualTo(
                                    "200 of 90000 segments (0.22 %) were lost; 200 others found a full accept queue");
                });
    }

    @Test
    void packets_of_the_server_that_never_arrived_count_too() {
        Recorded both = missing(full(), 100, 100).grows(KernelCounter.RETRANSMITS, End.SERVER, 100);
        assertThat(both.diagnosed().also())
                .extracting(Judgement.Binds::wall)
                .containsExactly(new PacketLoss());
    }

    @Test
    void if_all_packets_arrived_only_the_queue_dropped_some() {
        Diagnosis diagnosis = missing(full(), 0, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.also()).isEmpty();
        assertThat(PacketLossTest.because(diagnosis))
                .isEqualTo(
                        "0 of 90000 segments (0.00 %) were lost; 400 others found a full accept queue");
    }

    /// The queue dropped most of the requests, and the path few.
    @Test
    void the_late_answers_of_the_queue_are_no_harm_of_the_path() {
        Diagnosis diagnosis = missing(full(), 95, 0).diagnosed();
        assertThat(diagnosis.also()).isEmpty();
        assertThat(PacketLossTest.because(diagnosis)).endsWith("without harm to this load");
    }

    /// More retransmits than overflows: the queue cannot have caused all of them.
    @Test
    void without_a_count_of_the_packets_the_overflows_are_a_bound() {
        Recorded few = full().grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 180);
        assertThat(few.diagnosed().wallId()).contains("packet-loss");
        assertThat(few.diagnosed().headline().evidence().getFirst().source())
                .endsWith(" - TcpExt.ListenOverflows of the server");
    }

    @Test
    void without_a_count_of_the_packets_a_possible_loss_is_a_doubt() {
        assertDoubt(full());
        // The counters of IP do not include IPv6.
        assertDoubt(
                missing(full(), 0, 0)
                        .grows(KernelCounter.OUT_PACKETS, End.CLIENT, 0)
                        .grows(KernelCounter.IN_DELIVERED, End.SERVER, 0)
                        .grows(KernelCounter.OUT_PACKETS, End.SERVER, 0)
                        .grows(KernelCounter.IN_DELIVERED, End.CLIENT, 0));
    }

    private static void assertDoubt(Recorded recorded) {
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains("accept-queue");
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:packet-loss");
        assertThat(PacketLossTest.because(diagnosis))
                .contains("whether the path or the full accept queue dropped");
    }
}
