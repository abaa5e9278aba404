package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadFigure;

/// Doubts that a result raises about itself. A healthy recording has 40,000 answers over 64
/// connections in ten seconds.
class SelfCheckTest {
    private static List<String> doubts(Recorded recorded) {
        return recorded.diagnosed().caveats().stream().map(Caveat::id).toList();
    }

    private static Recorded counted(double opens, double segments) {
        return Recorded.healthy()
                .grows(KernelCounter.ACTIVE_OPENS, End.CLIENT, opens)
                .grows(KernelCounter.IN_SEGMENTS, End.CLIENT, segments);
    }

    @Test
    void a_result_that_the_kernel_confirms_has_no_doubt() {
        assertThat(doubts(counted(64, 40_100))).isEmpty();
    }

    @Test
    void connections_that_the_kernel_did_not_open_do_not_add_up() {
        Recorded many = counted(10, 90_000).connections(1_000).responseMillis(250, 40_000);
        assertThat(doubts(many)).isEmpty();
        assertThat(doubts(counted(200, 40_100))).contains("does-not-add-up");
        assertThat(counted(200, 40_100).diagnosed().caveats())
                .anySatisfy(doubt -> assertThat(doubt.advice()).contains("(Tcp.ActiveOpens)"));
        assertThat(doubts(counted(200, 40_100).host())).doesNotContain("does-not-add-up");
    }

    @Test
    void connects_that_failed_were_opened_by_the_kernel_too() {
        assertThat(doubts(counted(364, 40_100).error("connect-refused", 300)))
                .doesNotContain("does-not-add-up");
    }

    @Test
    void more_answers_than_segments_do_not_add_up() {
        assertThat(doubts(counted(64, 20_000))).contains("does-not-add-up");
        assertThat(doubts(counted(64, 20_000).host())).contains("does-not-add-up");
    }

    /// Seen in the first trials of a capacity, at twice the capacity: a trial of 2 s took 0.26 s
    /// for what had come due.
    @Test
    void answers_after_the_last_sample_are_not_compared_with_the_kernels_counters() {
        Recorded overloaded = counted(64, 36_000);
        assertThat(doubts(overloaded)).contains("does-not-add-up");
        overloaded.grows(LoadFigure.REQUESTS, End.CLIENT, 35_900);
        assertThat(doubts(overloaded)).doesNotContain("does-not-add-up");
        Recorded closing = counted(34_000, 80_000);
        assertThat(doubts(closing)).contains("does-not-add-up");
        closing.grows(LoadFigure.CONNECTIONS_OPENED, End.CLIENT, 33_900);
        assertThat(doubts(closing)).doesNotContain("does-not-add-up");
    }

    /// 64 connections are busy all the time if an answer takes 16 ms.
    @Test
    void answers_that_do_not_fill_the_time_of_the_connections_are_a_doubt() {
        String doubt = "littles-law";
        assertThat(doubts(Recorded.healthy().responseMillis(15.5, 40_000))).doesNotContain(doubt);
        assertThat(doubts(Recorded.healthy().responseMillis(8, 40_000))).contains(doubt);
        assertThat(doubts(Recorded.healthy().responseMillis(24, 40_000))).contains(doubt);
        Recorded lockstep = Recorded.healthy().responseMillis(8, 40_000).lockstep();
        assertThat(doubts(lockstep)).doesNotContain(doubt);
        Recorded waiting = Recorded.healthy().responseMillis(8, 40_000).unanswered(32);
        assertThat(doubts(waiting)).doesNotContain(doubt);
        Recorded failing = Recorded.healthy().responseMillis(8, 40_000).error("reset", 500);
        assertThat(doubts(failing)).doesNotContain(doubt);
    }

    @Test
    void retransmits_are_a_doubt_but_repeated_handshakes_are_not() {
        Recorded lossy = counted(64, 40_100);
        lossy.grows(KernelCounter.OUT_SEGMENTS, End.SERVER, 40_100);
        lossy.grows(KernelCounter.RETRANSMITS, End.SERVER, 200);
        assertThat(doubts(lossy)).contains("retransmits");
        lossy.grows(KernelCounter.SYN_RETRANS, End.SERVER, 195);
        assertThat(doubts(lossy)).doesNotContain("retransmits");
    }

    @Test
    void a_pause_of_the_generator_that_may_be_the_maximum_is_a_doubt_with_its_garbage_collection() {
        Recorded recorded = Recorded.healthy().alsoResponseMillis(60, 4).pausedMillis(45, 1);
        assertThat(recorded.diagnosed().caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo("generator-paused");
                    assertThat(caveat.advice()).contains("45 ms", "garbage collection", "60 ms");
                });
    }

    @Test
    void a_pause_within_p99_or_far_below_the_maximum_is_no_doubt() {
        assertThat(doubts(Recorded.healthy().pausedMillis(10, 0))).isEmpty();
        assertThat(doubts(Recorded.healthy().alsoResponseMillis(200, 4).pausedMillis(45, 0)))
                .isEmpty();
    }

    /// In one second of ten, nothing is answered: 64 answers of 1 s among 36,000 of 16 ms.
    @Test
    void a_stall_that_a_closed_loop_hides_is_a_doubt() {
        Recorded stalling = Recorded.healthy().responseMillis(16, 36_000);
        assertThat(doubts(stalling.alsoResponseMillis(1_000, 64))).contains("stalls-hidden");
        assertThat(doubts(stalling.waitingShare(0.5)))
                .contains("late-generator")
                .doesNotContain("stalls-hidden");
    }

    @Test
    void an_open_loop_hides_no_stall_and_a_long_tail_is_not_one() {
        Recorded stalling = Recorded.healthy().responseMillis(16, 36_000);
        stalling.alsoResponseMillis(1_000, 64);
        assertThat(doubts(stalling.open(0.1, 0))).doesNotContain("stalls-hidden");
        Recorded exponential = Recorded.healthy();
        exponential.responseMillis(0.01, 1);
        for (int i = 0; i < 40_000; i++) {
            exponential.alsoResponseMillis(-16 * Math.log((i + 0.5) / 40_000), 1);
        }
        assertThat(doubts(exponential)).doesNotContain("stalls-hidden");
    }
}
