package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;

/// A generator at its limit spoils rates and latencies only.
class InvalidTest {
    /// The generator never waits for an answer, so the figures are its own.
    private static Recorded limited() {
        return Recorded.healthy()
                .connections(512)
                .unloadedMillis(2)
                .responseMillis(16, 39_000)
                .idleShare(0.01);
    }

    @Test
    void thousands_of_dropped_handshakes_are_named_too() {
        Diagnosis diagnosis =
                limited()
                        .connectMillis(1_030, 3_000)
                        .alsoResponseMillis(1_040, 3_000)
                        .listener(8080, 9, 8, 4_000)
                        .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 4_000)
                        .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 3_900)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.wallId()).contains("load-generator");
        assertThat(diagnosis.also())
                .extracting(b -> b.wall().id().word())
                .containsExactly("accept-queue");
        assertThat(diagnosis.also().getFirst().harm()).isNotNull();
    }

    @Test
    void failed_requests_that_no_wall_explains_are_described() {
        Diagnosis diagnosis = limited().error("closed", 130_954).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.seen())
                .isEqualTo("closes accepted connections unanswered (130954 times)");
    }

    @Test
    void what_rests_on_rates_and_latencies_is_unknown() {
        Diagnosis diagnosis = limited().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.seen()).isNull();
        assertThat(diagnosis.ruledOut())
                .filteredOn(out -> out.wall() instanceof ServerConcurrency)
                .allSatisfy(out -> assertThat(out.because()).startsWith("unknown"));
        Diagnosis busy = limited().cpuShare(0.85).diagnosed();
        assertThat(busy.also()).isEmpty();
        assertThat(busy.ruledOut())
                .filteredOn(out -> out.wall() instanceof Cpu)
                .allSatisfy(out -> assertThat(out.because()).startsWith("unknown"));
    }

    @Test
    void every_judgement_is_made_once() {
        Diagnosis diagnosis = limited().diagnosed();
        assertThat(diagnosis.ruledOut()).hasSize(Walls.ALL.size() - 1);
    }
}
