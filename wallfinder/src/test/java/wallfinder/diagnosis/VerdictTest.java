package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;

/// What the diagnosis makes of the walls that bind.
class VerdictTest {
    /// An open loop of 4,000 requests a second.
    @ParameterizedTest
    @CsvSource({"40000, LATENCY", "38100, LATENCY", "38000, THROUGHPUT"})
    void a_service_that_answers_all_that_is_sent_loses_no_throughput(long answered, Harm harm) {
        Recorded busy = Recorded.healthy().cpuShare(0.98).responseMillis(45, answered);
        Diagnosis diagnosis = busy.open(0.1, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu");
        assertThat(diagnosis.headline().harm()).isEqualTo(harm);
    }

    @Test
    void a_service_that_answers_nearly_all_that_is_sent_has_errors() {
        Diagnosis diagnosis = Recorded.healthy().bad(503, 0.3, 400).open(0.1, 0).diagnosed();
        assertThat(diagnosis.wallId()).contains("load-shedding");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    /// 19 or 20 of 40 single requests got a bad answer.
    @ParameterizedTest
    @CsvSource({"21, 19, NAMED", "20, 20, NONE"})
    void bad_answers_without_load_leave_no_wall_that_timing_shows(
            long good, long bad, Verdict verdict) {
        Recorded busy = Recorded.healthy().cpuShare(0.98).responseMillis(45, 14_000);
        Diagnosis diagnosis = busy.alone(good, bad).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(verdict);
        assertThat(diagnosis.headline() != null).isEqualTo(verdict == Verdict.NAMED);
    }

    private static Recorded overflowing() {
        return Recorded.healthy()
                .connections(512)
                .unloadedMillis(2)
                .responseMillis(16, 39_000)
                .alsoResponseMillis(1_040, 3_000)
                .connectMillis(1_030, 3_000)
                .listener(8080, 9, 8, 4_000)
                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, 4_000)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, 3_900);
    }

    @Test
    void bad_answers_without_load_leave_the_walls_that_the_kernel_counted() {
        Diagnosis diagnosis = overflowing().alone(0, 20).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NAMED);
        assertThat(diagnosis.wallId()).contains("accept-queue");
    }

    @Test
    void beside_a_generator_at_its_limit_each_wall_is_either_named_or_not() {
        Recorded both = overflowing().idleShare(0.01);
        both.grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 2)
                .grows(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, 4);
        Diagnosis diagnosis = both.diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.also())
                .extracting(Judgement.Binds::wall)
                .containsExactly(new AcceptQueue());
        assertThat(diagnosis.ruledOut())
                .extracting(Judgement.NotBinding::wall)
                .hasSize(Walls.ALL.size() - 2)
                .doesNotHaveDuplicates()
                .contains(new Gc())
                .doesNotContain(new AcceptQueue(), new LoadGenerator());
    }
}
