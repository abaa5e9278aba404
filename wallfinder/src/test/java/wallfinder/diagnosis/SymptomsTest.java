package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

/// The harm to a load of ten seconds over 64 connections.
class SymptomsTest {
    private static Symptoms of(Recorded recorded) {
        return Symptoms.of(recorded.observation());
    }

    /// Every long run has a few failures.
    @ParameterizedTest
    @CsvSource({"39, false", "41, true"})
    void one_failure_in_a_thousand_is_harm(long failures, boolean harm) {
        assertThat(of(Recorded.healthy().error("reset", failures)).errorsBegin()).isEqualTo(harm);
        assertThat(of(Recorded.healthy().bad(500, 16, failures)).errorsBegin()).isEqualTo(harm);
    }

    /// Half of the requests alone got a bad answer, too.
    @ParameterizedTest
    @CsvSource({"40000, false", "40200, true"})
    void only_bad_answers_that_the_load_adds_are_harm(long bad, boolean harm) {
        Recorded recorded = Recorded.healthy().bad(500, 16, bad).alone(10, 10);
        assertThat(of(recorded).errorsBegin()).isEqualTo(harm);
    }

    /// One request that times out is one of 40,000, but takes the time of hundreds. An open loop
    /// sends the others at their time.
    @ParameterizedTest
    @CsvSource({"6, false, false", "7, false, true", "7, true, false"})
    void a_hundredth_of_the_connections_time_in_failures_is_harm(
            double seconds, boolean open, boolean harm) {
        Recorded recorded = Recorded.healthy().error("timeout", 1).failedSeconds(seconds);
        assertThat(of(open ? recorded.open(0, 0) : recorded).errorsBegin()).isEqualTo(harm);
    }

    @ParameterizedTest
    @CsvSource({"15, 29, false", "15, 31, true"})
    void twice_the_time_of_a_request_alone_is_a_bend(double alone, double loaded, boolean bends) {
        Recorded recorded = Recorded.healthy().unloadedMillis(alone);
        assertThat(of(recorded.responseMillis(loaded, 20_000)).throughputBends()).isEqualTo(bends);
    }

    /// 40,000 answers in ten seconds. A thousand a second come a millisecond apart.
    @ParameterizedTest
    @CsvSource({
        "0.3, 1.2, 40000, false",
        "0.3, 1.4, 40000, true",
        "0.3, 9, 1000, false",
        "0.3, 11, 1000, true"
    })
    void in_an_open_loop_a_bend_lasts_a_millisecond_and_until_the_next_request(
            double alone, double loaded, long answers, boolean bends) {
        Recorded recorded = Recorded.healthy().unloadedMillis(alone);
        assertThat(of(recorded.responseMillis(loaded, answers).open(0, 0)).throughputBends())
                .isEqualTo(bends);
    }

    /// Of the answers, one in fifty takes so long.
    @ParameterizedTest
    @CsvSource({"2, 19, false", "2, 21, true", "16, 79, false", "16, 81, true"})
    void a_tail_is_five_times_as_long_as_most_answers_and_20_ms(
            double most, double tail, boolean jumps) {
        Recorded recorded =
                Recorded.healthy()
                        .unloadedMillis(most)
                        .responseMillis(most, 9_800)
                        .alsoResponseMillis(tail, 200);
        assertThat(of(recorded).tailJumps()).isEqualTo(jumps);
    }

    static Stream<Arguments> arrivals() {
        return Stream.of(
                Arguments.of(new Arrival.Rate(1_000), 9_600, true),
                Arguments.of(new Arrival.Rate(1_000), 9_400, false),
                Arguments.of(new Arrival.Poisson(1_000), 9_600, true),
                Arguments.of(new Arrival.Poisson(1_000), 9_400, false),
                Arguments.of(
                        new Arrival.Stages(
                                List.of(new Arrival.Stage(Duration.ofSeconds(10), 1_000, 1_000))),
                        10_000,
                        false));
    }

    @ParameterizedTest
    @MethodSource("arrivals")
    void a_service_keeps_up_if_it_answers_19_of_20_requests(
            Arrival.Open arrival, long answers, boolean keepsUp) {
        LoadOutcome.Loop.Open loop =
                new LoadOutcome.Loop.Open(arrival, 0, new Histogram(3), new Histogram(3));
        assertThat(Symptoms.keepsUp(SampleLoad.open(10, answers, LoadOutcome.Times.NONE, loop)))
                .isEqualTo(keepsUp);
        assertThat(Symptoms.keepsUp(Recorded.healthy().observation().load())).isFalse();
    }

    /// Eleven samples, of which some show no answer since the one before.
    @Test
    void the_share_of_seconds_without_an_answer_is_seen_if_the_others_have_many() {
        Recorded stops =
                Recorded.healthy()
                        .everySecond()
                        .put(
                                LoadFigure.REQUESTS,
                                End.CLIENT,
                                new double[] {0, 40, 40, 40, 80, 80, 120, 160, 200, 240, 280});
        assertThat(of(stops).stillShare()).isCloseTo(0.3, within(1e-9));
        assertThat(of(stops.lockstep()).stillShare()).isZero();
        Recorded slow =
                Recorded.healthy()
                        .everySecond()
                        .put(
                                LoadFigure.REQUESTS,
                                End.CLIENT,
                                new double[] {0, 4, 4, 8, 8, 12, 12, 16, 16, 20, 20});
        assertThat(of(slow).stillShare()).isZero();
    }

    /// All connections wait for the slowest one.
    @Test
    void in_lockstep_the_batches_show_how_long_slow_connects_take() {
        Recorded batches = Recorded.healthy().lockstep().connectMillis(1_030, 2);
        assertThat(of(batches).slowConnectShare()).isEqualTo(1);
        batches.batchMillis(20, 50).batchMillis(1_000, 1);
        assertThat(of(batches).slowConnectShare()).isCloseTo(0.5, within(0.01));
        Recorded none = Recorded.healthy().lockstep().connectMillis(10, 2);
        assertThat(of(none).slowConnectShare()).isZero();
    }

    @Test
    void slow_connects_of_a_closed_loop_take_a_share_of_the_connections_time() {
        Recorded slow = Recorded.healthy().connectMillis(1_000, 64).connectMillis(10, 900);
        assertThat(of(slow).slowConnects()).isEqualTo(64);
        assertThat(of(slow).slowConnectShare()).isCloseTo(0.1, within(0.001));
    }

    @Test
    void the_worst_harm_is_that_of_the_load() {
        Recorded slower = Recorded.healthy().responseMillis(64, 10_000);
        assertThat(of(slower).harm(Harm.ERRORS)).isEqualTo(Harm.THROUGHPUT);
        assertThat(of(slower.error("reset", 500)).harm(Harm.LATENCY)).isEqualTo(Harm.ERRORS);
        assertThat(of(Recorded.healthy()).harm(Harm.ERRORS)).isEqualTo(Harm.LATENCY);
        assertThat(of(Recorded.healthy().unanswered(64)).harm(Harm.LATENCY)).isEqualTo(Harm.ERRORS);
        Recorded command = Recorded.healthy().commandWithAnswers(0);
        assertThat(of(command).harm(Harm.THROUGHPUT)).isEqualTo(Harm.THROUGHPUT);
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
}
