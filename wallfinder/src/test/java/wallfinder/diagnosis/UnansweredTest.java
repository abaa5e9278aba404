package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;

/// A service that hangs for good near the end of a load, before any time-out.
class UnansweredTest {
    @Test
    void a_service_that_hangs_at_the_end_of_a_closed_loop_has_a_wall() {
        Diagnosis diagnosis = Recorded.healthy().unanswered(64).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 64 of 64 connections without an answer");
    }

    /// Eight of 64 connections keep all workers. The others get their only answer when the load
    /// ends.
    private static Recorded starving(double millis) {
        return Recorded.healthy()
                .unloadedMillis(15, 50)
                .responseMillis(16, 2_000)
                .alsoResponseMillis(millis, 56)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0);
    }

    @Test
    void connections_whose_requests_were_read_and_wait_for_most_of_the_load_have_a_wall() {
        Diagnosis diagnosis = starving(10_050).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 56 of 64 connections without an answer");
    }

    @Test
    void answers_that_are_as_slow_alone_are_no_wall() {
        assertThat(starving(10_050).alsoUnloadedMillis(9_000, 1).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    /// The requests alone may have missed such answers by chance.
    @Test
    void a_few_answers_that_take_half_of_the_load_are_a_doubt() {
        Diagnosis diagnosis = starving(5_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo("slow-alone-unknown");
                    assertThat(caveat.advice()).contains("mean response time is 152 ms", "15 ms");
                });
        assertThat(Recorded.healthy().diagnosed().caveats()).isEmpty();
    }

    /// A load of 10 s with answers of 6.1 s: of two answers of a connection, one came in time.
    @Test
    void a_load_that_ends_before_its_answers_is_a_doubt() {
        Recorded slow =
                Recorded.healthy()
                        .unloadedMillis(6_000, 3)
                        .responseMillis(6_100, 64)
                        .unanswered(64);
        assertThat(slow.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(slow.diagnosed().caveats())
                .extracting(Caveat::id)
                .contains("load-too-short")
                .doesNotContain("littles-law");
        assertThat(slow.unanswered(1).diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain("load-too-short");
    }

    @Test
    void a_load_shorter_than_one_answer_alone_shows_no_wall() {
        Recorded slow = Recorded.healthy().responseMillis(1, 0).unanswered(64);
        assertThat(slow.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(slow.unloadedMillis(4_600, 1).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// The clock made 10,000 requests due, and most of them waited for a connection.
    @Test
    void a_service_that_hangs_at_the_end_of_an_open_loop_has_a_wall() {
        Diagnosis diagnosis = Recorded.healthy().open(0, 0).unanswered(10_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 64 of 64 connections without an answer");
    }
}
