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
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;

/// Recorded observations of JVMs with virtual threads on four carriers.
class CarrierPinningTest {
    private static final String WALL = "carrier-pinning";
    private static final double CARRIERS = 4;

    private static Recorded looked(double looks, double heldEach) {
        return Recorded.healthy()
                .level(jvm(JvmFigure.VIRTUAL_THREADS), End.SERVER, 1)
                .level(jvm(JvmFigure.COLLECTOR_CPU), End.SERVER, 0)
                .grows(jvm(JvmFigure.CARRIER_LOOKS), End.SERVER, looks)
                .grows(jvm(JvmFigure.CARRIERS), End.SERVER, looks * CARRIERS)
                .grows(jvm(JvmFigure.CARRIERS_HELD), End.SERVER, looks * heldEach);
    }

    private static Key jvm(JvmFigure figure) {
        return figure.of("users");
    }

    private static Recorded slow(double looks, double heldEach) {
        return looked(looks, heldEach).responseMillis(200, 3_200);
    }

    @Test
    void carriers_held_by_waiting_threads_are_pinning_and_not_a_pool() {
        Diagnosis diagnosis = slow(20, 3.9).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "98 % of the carriers of users were blocked with a virtual thread on them,"
                                + " looked at 20 times; there are 4.0 of them");
    }

    @Test
    void free_carriers_are_not_pinning() {
        Diagnosis diagnosis = slow(20, 0.2).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain("near:" + WALL);
    }

    @Test
    void half_of_the_carriers_held_is_near_and_no_more() {
        Diagnosis diagnosis = slow(20, 2.4).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// Chance shows 9 of 12 often enough if 8 of 10 are held all the time, and 300 of 400 seldom.
    @Test
    void with_few_looks_a_smaller_share_is_enough() {
        assertThat(slow(3, 3).diagnosed().wallId()).contains(WALL);
        assertThat(slow(100, 3).diagnosed().wallId()).contains("server-concurrency");
    }

    @Test
    void carriers_that_are_held_without_harm_are_near() {
        Diagnosis diagnosis = looked(20, 4).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_busy_cpu_with_waiting_threads_is_cpu() {
        assertThat(slow(20, 4).cpuShare(0.98).diagnosed().wallId()).contains("cpu");
    }

    /// Nobody asked the JVM, or it had no descriptor left for the answer.
    @Test
    void pinning_in_a_jvm_that_does_not_answer_is_unknown() {
        Diagnosis diagnosis = slow(0, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(NotNamed.because(diagnosis, WallId.CARRIER_PINNING))
                .startsWith("unknown: users has virtual threads");
    }

    @Test
    void a_knob_that_moves_it_is_raised_first() {
        assertThat(
                        RemedyTest.texts(
                                slow(20, 4),
                                Map.of("workers", new Knob("4", WallId.find(WALL), 64L, List.of())),
                                Limits.NONE))
                .containsExactly("workers 4 -> 64");
    }
}
