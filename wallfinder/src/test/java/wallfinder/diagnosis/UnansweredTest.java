package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A service that hangs for good near the end of a load, before any time-out.
class UnansweredTest {
    @Test
    void a_service_that_hangs_at_the_end_of_a_closed_loop_has_a_wall() {
        Diagnosis diagnosis = Recorded.healthy().unanswered(64).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 64 of 64 connections without an answer");
    }

    /// The clock made 10,000 requests due, and most of them waited for a connection.
    @Test
    void a_service_that_hangs_at_the_end_of_an_open_loop_has_a_wall() {
        Diagnosis diagnosis = Recorded.healthy().open(0, 0).unanswered(10_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.seen()).contains("leaves 64 of 64 connections without an answer");
    }
}
