package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

/// When a load counts as stopped, slowed down or failed.
class SymptomsTest {
    static Stream<Arguments> arrivals() {
        Arrival.Stage stage = new Arrival.Stage(Duration.ofSeconds(10), 100, 100);
        return Stream.of(
                Arguments.of(new Arrival.Rate(100), 953, true),
                Arguments.of(new Arrival.Rate(100), 951, false),
                Arguments.of(new Arrival.Poisson(100, 1L), 953, true),
                Arguments.of(new Arrival.Poisson(100, 1L), 951, false),
                Arguments.of(new Arrival.Stages(List.of(stage)), 1_000, false));
    }

    /// Ten seconds with a hundred requests a second.
    @ParameterizedTest
    @MethodSource("arrivals")
    void a_service_keeps_up_if_it_answers_all_but_a_twentieth_of_what_is_sent(
            Arrival.Open arrival, long answered, boolean keepsUp) {
        Histogram none = new Histogram(3);
        LoadOutcome load =
                SampleLoad.open(
                        10,
                        answered,
                        new LoadOutcome.Times(none, none, none),
                        new LoadOutcome.Loop.Open(arrival, 0, none, none));
        assertThat(Symptoms.keepsUp(load)).isEqualTo(keepsUp);
    }

    @Test
    void a_closed_loop_never_keeps_up_because_it_asks_for_no_rate() {
        assertThat(Symptoms.keepsUp(Recorded.healthy().observation().load())).isFalse();
    }

    /// One answer of a hundred takes 2 ms, the others 5 ms.
    private static Recorded withoutBaseline() {
        return Recorded.healthy()
                .unloadedMillis(0, 0)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0)
                .responseMillis(2, 400)
                .alsoResponseMillis(5, 39_600);
    }

    @Test
    void without_requests_before_the_load_the_fastest_answer_is_the_baseline() {
        assertThat(withoutBaseline().diagnosed().seen())
                .contains("the mean response time grew from 2.00 ms alone to 4.97 ms");
        assertThat(withoutBaseline().responseMillis(5, 39_600).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    /// In an open loop, a service that just answered another request is unusually fast.
    @Test
    void without_requests_before_an_open_loop_the_median_answer_is_the_baseline() {
        assertThat(withoutBaseline().open(0.1, 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// 640 s of connection time, and 40,000 exchanges.
    @ParameterizedTest
    @CsvSource({"39, 0, NONE", "41, 0, UNNAMED", "1, 6.3, NONE", "1, 6.5, UNNAMED"})
    void failures_are_harm_by_their_number_or_by_their_time(
            long failed, double seconds, Verdict verdict) {
        Recorded failing = Recorded.healthy().error("connect-other", failed);
        assertThat(failing.failedSeconds(seconds).diagnosed().verdict()).isEqualTo(verdict);
    }

    /// In the other loops, requests that fail do not keep the next ones from being sent.
    @Test
    void the_time_of_failures_counts_only_in_a_closed_loop() {
        Recorded failing = Recorded.healthy().error("connect-other", 1).failedSeconds(65);
        assertThat(failing.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(failing.open(0, 0).diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    /// One in ten requests gets a bad answer without load.
    @ParameterizedTest
    @CsvSource({"4000, NONE", "4400, NONE", "4600, UNNAMED"})
    void bad_answers_count_as_far_as_they_are_more_than_without_load(long bad, Verdict verdict) {
        Recorded failing = Recorded.healthy().alone(18, 2).bad(500, 16, bad);
        assertThat(failing.diagnosed().verdict()).isEqualTo(verdict);
    }

    /// On a busy host, a request of an open loop waits for a millisecond anyway.
    @ParameterizedTest
    @CsvSource({"1.3, NONE", "1.7, UNNAMED"})
    void an_open_loop_slows_down_by_a_millisecond_at_least(double millis, Verdict verdict) {
        Recorded slower = Recorded.healthy().unloadedMillis(0.6).responseMillis(millis, 40_000);
        assertThat(slower.open(0.1, 0).diagnosed().verdict()).isEqualTo(verdict);
    }

    /// Half of the answers take 15 ms.
    @ParameterizedTest
    @CsvSource({"70, NONE", "80, UNNAMED"})
    void a_tail_is_five_times_as_long_as_most_answers(double millis, Verdict verdict) {
        Recorded tail = Recorded.healthy().responseMillis(15, 39_200);
        assertThat(tail.alsoResponseMillis(millis, 800).diagnosed().verdict()).isEqualTo(verdict);
    }
}
