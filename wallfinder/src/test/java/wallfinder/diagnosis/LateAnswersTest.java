package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What late answers cost, judged by a path that loses enough segments to explain them.
class LateAnswersTest {
    private static Recorded lossy() {
        return PacketLossTest.lossy(400, 0);
    }

    private static Harm harm(Recorded recorded) {
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains("packet-loss");
        return diagnosis.headline().harm();
    }

    private static void assertHarmless(Recorded recorded) {
        assertThat(PacketLossTest.because(recorded.diagnosed()))
                .endsWith("without harm to this load");
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeout", "first-byte-timeout"})
    void requests_that_time_out_are_late_answers_and_errors(String kind) {
        Recorded recorded = lossy().error(kind, 60);
        assertThat(harm(recorded)).isEqualTo(Harm.ERRORS);
        assertThat(recorded.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .anySatisfy(says -> assertThat(says).startsWith("260 answers (2.00 %) took"));
    }

    /// 800 answers that take 150 ms wait for something else.
    @Test
    void answers_that_are_slow_and_not_late_do_not_count() {
        Recorded slow = lossy().responseMillis(5, 9_050).alsoResponseMillis(150, 800);
        assertThat(harm(slow.alsoResponseMillis(212, 150))).isEqualTo(Harm.LATENCY);
    }

    /// They take 200 ms longer than the others, which is a tenth of all time.
    @Test
    void only_the_time_beyond_that_of_the_other_answers_is_lost() {
        Recorded slow = lossy().unloadedMillis(150).responseMillis(150, 9_200);
        assertHarmless(slow.alsoResponseMillis(350, 800));
    }

    private static Recorded queued(double fastestMillis) {
        return lossy().responseMillis(fastestMillis, 10)
                .alsoResponseMillis(38, 9_490)
                .alsoResponseMillis(260, 500);
    }

    /// The path loses packets without load, too: one in ten single requests takes 212 ms.
    @Test
    void late_single_requests_do_not_hide_that_most_answers_wait_for_something_else() {
        Recorded recorded = queued(5).unloadedMillis(5, 900).alsoUnloadedMillis(212, 100);
        assertThat(harm(recorded)).isEqualTo(Harm.LATENCY);
    }

    @Test
    void without_single_requests_the_fastest_answer_shows_whether_the_others_wait() {
        assertThat(harm(queued(5).unloadedMillis(5, 0))).isEqualTo(Harm.LATENCY);
        assertThat(harm(queued(36).unloadedMillis(5, 0))).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void a_load_that_ends_within_its_first_batch_waits_for_the_late_answers_all_the_time() {
        assertThat(harm(lossy().lockstep())).isEqualTo(Harm.THROUGHPUT);
        assertHarmless(lossy().responseMillis(5, 10_000).lockstep());
    }
}
