package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.observation.Caveat;

/// Which stalls and slow answers are a doubt, and which are too short or too few.
class StallDoubtsTest {
    private static List<String> doubts(Recorded recorded) {
        return recorded.diagnosed().caveats().stream().map(Caveat::id).toList();
    }

    /// The generator pauses while 40,000 answers come in, of which four take the longest.
    @ParameterizedTest
    @CsvSource({
        "16, 25, 15, false",
        "16, 25, 17, true",
        "16, 60, 29, false",
        "16, 60, 31, true",
        "0.5, 1.2, 0.9, false",
        "0.5, 1.2, 1.1, true"
    })
    void a_pause_is_a_doubt_if_it_is_longer_than_p99_and_half_of_the_maximum(
            double usualMillis, double longestMillis, double pauseMillis, boolean doubted) {
        Recorded paused =
                Recorded.healthy()
                        .unloadedMillis(usualMillis)
                        .responseMillis(usualMillis, 40_000)
                        .alsoResponseMillis(longestMillis, 4)
                        .pausedMillis(pauseMillis, 0);
        assertThat(doubts(paused).contains("generator-paused")).isEqualTo(doubted);
        assertThat(paused.diagnosed().caveats())
                .extracting(Caveat::advice)
                .noneMatch(advice -> advice.contains("garbage collection took"));
    }

    /// Most answers take 1 ms, one in twenty takes 100 ms, and one in a hundred is slow.
    @ParameterizedTest
    @CsvSource({"400, 90, false", "510, 90, true", "510, 1, false"})
    void a_stall_is_five_times_as_long_as_p99_and_a_twentieth_of_the_time(
            double slowMillis, long slow, boolean doubted) {
        Recorded tail =
                Recorded.healthy()
                        .unloadedMillis(1)
                        .alsoUnloadedMillis(slowMillis, 1)
                        .responseMillis(1, 9_400)
                        .alsoResponseMillis(100, 500)
                        .alsoResponseMillis(slowMillis, slow);
        assertThat(doubts(tail).contains("stalls-hidden")).isEqualTo(doubted);
    }

    @ParameterizedTest
    @CsvSource({"19, false", "21, true"})
    void a_stall_that_nobody_notices_is_no_doubt(double slowMillis, boolean doubted) {
        Recorded quick =
                Recorded.healthy()
                        .unloadedMillis(0.5)
                        .responseMillis(0.5, 36_000)
                        .alsoResponseMillis(slowMillis, 200);
        assertThat(doubts(quick).contains("stalls-hidden")).isEqualTo(doubted);
    }

    @Test
    void the_share_of_the_time_above_p99_is_said() {
        Recorded stalling =
                Recorded.healthy().responseMillis(10, 36_000).alsoResponseMillis(1_010, 90);
        assertThat(stalling.diagnosed().caveats())
                .filteredOn(caveat -> caveat.id().equals("stalls-hidden"))
                .singleElement()
                .satisfies(
                        caveat -> assertThat(caveat.advice()).contains("20 %", "10 ms", "1010 ms"));
    }

    /// Among 50 requests alone, the slowest took 15 ms.
    private static Recorded slowAlone(double usualMillis, long slow) {
        return Recorded.healthy()
                .unloadedMillis(15, 50)
                .responseMillis(usualMillis, 2_000)
                .alsoResponseMillis(2_000, slow);
    }

    /// The doubt needs a mean of 30 ms, and slow answers that take half of the time.
    @ParameterizedTest
    @CsvSource({"16, 18, true", "16, 8, false", "29, 2, false"})
    void slow_answers_that_a_few_requests_alone_may_have_missed_are_a_doubt(
            double usualMillis, long slow, boolean doubted) {
        assertThat(doubts(slowAlone(usualMillis, slow)).contains("slow-alone-unknown"))
                .isEqualTo(doubted);
    }

    @Test
    void slow_answers_are_no_doubt_in_an_open_loop_or_if_the_load_has_stopped() {
        Recorded slow = slowAlone(16, 18);
        assertThat(doubts(slow)).contains("slow-alone-unknown");
        assertThat(doubts(slow.error("closed", 900))).doesNotContain("slow-alone-unknown");
        assertThat(doubts(slowAlone(16, 18).open(0, 0))).doesNotContain("slow-alone-unknown");
    }

    @Test
    void a_load_without_an_answer_has_none_of_these_doubts() {
        Recorded silent = Recorded.healthy().responseMillis(1, 0).pausedMillis(45, 1);
        assertThat(doubts(silent))
                .doesNotContain("generator-paused", "stalls-hidden", "slow-alone-unknown");
    }
}
