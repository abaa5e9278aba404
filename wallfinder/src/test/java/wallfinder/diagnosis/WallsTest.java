package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;

class WallsTest {
    @Test
    void each_id_has_its_wall_and_each_wall_its_place() {
        assertThat(Walls.ALL).extracting(Wall::id).containsExactlyInAnyOrder(WallId.values());
        assertThat(Walls.ALL)
                .extracting(Object::getClass)
                .containsExactlyInAnyOrder(Wall.class.getPermittedSubclasses());
    }

    @Test
    void a_cause_goes_before_its_effect() {
        for (Walls.Cause row : Walls.CAUSES) {
            assertThat(Walls.ALL.indexOf(Walls.of(row.cause())))
                    .as(row.because())
                    .isLessThan(Walls.ALL.indexOf(Walls.of(row.effect())));
        }
    }

    /// A cause at the other end, or one that only makes a few answers slow, explains no wait of all
    /// requests.
    @ParameterizedTest
    @CsvSource({
        "SERVER_CONCURRENCY, ACCEPT_QUEUE, SERVER, THROUGHPUT, true",
        "SERVER_CONCURRENCY, ACCEPT_QUEUE, SERVER, ERRORS, true",
        "SERVER_CONCURRENCY, ACCEPT_QUEUE, SERVER, LATENCY, false",
        "SERVER_CONCURRENCY, PACKET_LOSS, PATH, THROUGHPUT, true",
        "SERVER_CONCURRENCY, PACKET_LOSS, PATH, LATENCY, false",
        "SERVER_CONCURRENCY, GC, SERVER, THROUGHPUT, true",
        "SERVER_CONCURRENCY, GC, SERVER, LATENCY, false",
        "SERVER_CONCURRENCY, GC, CLIENT, THROUGHPUT, false",
        "SERVER_CONCURRENCY, FILE_DESCRIPTORS, SERVER, ERRORS, true",
        "ACCEPT_QUEUE, FILE_DESCRIPTORS, CLIENT, ERRORS, false",
        "CPU, FILE_DESCRIPTORS, CLIENT, ERRORS, false",
        "LOCK_CONTENTION, DISK_IO, SERVER, LATENCY, true",
        "PACKET_LOSS, TCP_MEMORY, SERVER, LATENCY, true"
    })
    void a_cause_explains_its_effect_only_at_the_same_end_and_with_the_same_harm(
            WallId effect, WallId cause, End end, Harm harm, boolean explains) {
        Judgement.Binds binds = new Judgement.Binds(Walls.of(cause), end, harm, List.of());
        assertThat(Walls.CAUSES)
                .filteredOn(row -> row.effect() == effect && row.cause() == cause)
                .singleElement()
                .satisfies(row -> assertThat(row.when().test(binds)).isEqualTo(explains));
    }

    /// They are not named if the generator was the limit.
    @Test
    void only_rates_and_latencies_prove_these_walls() {
        assertThat(provenBy(Proof.TIMING, Harm.THROUGHPUT))
                .containsExactlyInAnyOrder(
                        WallId.BLOCKED_OUTPUT,
                        WallId.CARRIER_PINNING,
                        WallId.CLIENT_CONNECTIONS,
                        WallId.CPU,
                        WallId.CPU_STEAL,
                        WallId.DISK_IO,
                        WallId.GC,
                        WallId.HEAP,
                        WallId.LOAD_GENERATOR,
                        WallId.LOCK_CONTENTION,
                        WallId.NAME_LOOKUP,
                        WallId.SERVER_CONCURRENCY,
                        WallId.SLOW_DEPENDENCY,
                        WallId.SOFTIRQ_CPU,
                        WallId.TLS_HANDSHAKES);
        assertThat(provenBy(Proof.TIMING, Harm.ERRORS))
                .doesNotContain(WallId.HEAP, WallId.LOAD_GENERATOR, WallId.SERVER_CONCURRENCY);
    }

    @Test
    void failed_requests_or_the_kernel_prove_all_other_walls() {
        assertThat(provenBy(Proof.ERRORS, Harm.ERRORS))
                .contains(
                        WallId.HEAP,
                        WallId.LOAD_GENERATOR,
                        WallId.LOAD_SHEDDING,
                        WallId.SERVER_CONCURRENCY);
        assertThat(provenBy(Proof.KERNEL, Harm.ERRORS))
                .contains(WallId.TCP_MEMORY, WallId.TCP_WINDOW, WallId.THREAD_LIMIT)
                .hasSize(18);
    }

    private static List<WallId> provenBy(Proof proof, Harm harm) {
        return Walls.ALL.stream()
                .filter(wall -> {
                    Judgement.Binds binds = new Judgement.Binds(wall, End.SERVER, harm, List.of());
                    return wall.proof(binds) == proof;
                })
                .map(Wall::id)
                .toList();
    }
}
