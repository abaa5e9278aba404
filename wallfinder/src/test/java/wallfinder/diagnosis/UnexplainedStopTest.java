package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.observation.End;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;

/// What a diagnosis says about a load that stopped for no known reason.
class UnexplainedStopTest {
    private static final String CLOSES = "closes accepted connections unanswered (900 times)";

    private static String seen(Recorded recorded) {
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.verdict()).as("%s", diagnosis).isEqualTo(Verdict.UNNAMED);
        return diagnosis.seen();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    CLOSED             | closes accepted connections unanswered (900 times)
                    RESET              | closes accepted connections unanswered (900 times)
                    MALFORMED          | sends something other than an HTTP/1.1 answer (900 times)
                    CORRUPTED          | sends back bytes other than those it got (900 times)
                    TIMEOUT            | does not answer before the time-out (900 times)
                    FIRST_BYTE_TIMEOUT | does not answer before the time-out (900 times)
                    """)
    void the_kind_of_most_errors_is_described(ErrorKind kind, String says) {
        assertThat(seen(Recorded.healthy().error(kind.word(), 900))).isEqualTo(says);
        Recorded mixed = Recorded.healthy().error(kind.word(), 900);
        assertThat(seen(mixed.error("connect-other", 899))).isEqualTo(says);
    }

    @ParameterizedTest
    @CsvSource({"CLOSED", "MALFORMED", "CORRUPTED", "TIMEOUT"})
    void errors_of_several_kinds_are_listed_if_none_is_the_most(ErrorKind kind) {
        Recorded mixed = Recorded.healthy().error(kind.word(), 450).error("connect-other", 450);
        assertThat(seen(mixed.failedSeconds(3.2)))
                .startsWith("2.2 % of the exchanges failed, 0.5 % of the connections' time: ")
                .contains(kind.word() + " 450", "connect-other 450");
    }

    /// Seven exchanges in 40,000, and the 64 connections have 640 s in all.
    @Test
    void a_few_failures_that_take_a_hundredth_of_the_time_are_a_stop() {
        Recorded few = Recorded.healthy().error("connect-other", 7);
        assertThat(few.failedSeconds(6.3).diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(seen(few.failedSeconds(6.5)))
                .isEqualTo(
                        "0.0 % of the exchanges failed, 1.0 % of the connections' time: connect-other 7");
    }

    private static Recorded slow(double millis) {
        return Recorded.healthy()
                .responseMillis(millis, 2_460)
                .cpuShare(0.1)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 5);
    }

    @Test
    void a_growth_of_the_mean_is_described_with_the_part_that_grew_most() {
        Recorded recorded = slow(240).levelAlone(ListenFigure.UNREAD.of(8080), 0);
        assertThat(seen(recorded))
                .isEqualTo(
                        "the mean response time grew from 15 ms alone to 240 ms; 224 ms of that are not explained: the requests may wait in a queue inside the service");
    }

    @Test
    void bad_answers_are_described_if_most_failures_are_bad_answers_that_began_with_the_load() {
        assertThat(seen(slow(240).bad(500, 240, 25)))
                .startsWith("answers 500 to 1 % of the requests since the load began; the mean");
        assertThat(seen(slow(240).bad(500, 240, 25).error("closed", 40)))
                .startsWith("answers 500 to 0.99 % of the requests since the load began; the mean");
        assertThat(seen(slow(240).bad(500, 240, 25).error("closed", 51)))
                .startsWith("closes accepted connections unanswered (51 times); the mean");
    }

    /// One answer of 2,461 is no harm, and no reason for the other answers to be slow.
    @Test
    void a_single_bad_answer_is_not_described() {
        assertThat(seen(slow(240).bad(500, 240, 1))).startsWith("the mean response time grew");
    }

    @Test
    void a_long_tail_is_described_if_the_mean_did_not_grow() {
        Recorded tail = Recorded.healthy().responseMillis(15, 39_200).alsoResponseMillis(300, 800);
        assertThat(seen(tail)).isEqualTo("p99 is 300 ms while half of the answers take 15 ms");
    }

    /// Ten steps of a second. With fewer than five answers a step, an empty one may be chance.
    @ParameterizedTest
    @CsvSource({
        "1, 4000, ''",
        "2, 4000, ; answers nobody in 20 % of the time",
        "5, 8, ''",
        "5, 12, ; answers nobody in 50 % of the time"
    })
    void seconds_without_an_answer_are_described_if_they_are_more_than_a_tenth(
            int still, int each, String says) {
        double[] requests = new double[Recorded.SECONDS + 1];
        requests[0] = 100;
        for (int i = 1; i < requests.length; i++) {
            requests[i] = requests[i - 1] + (i <= still ? 0 : each);
        }
        Recorded recorded = Recorded.healthy().everySecond().error("closed", 900);
        assertThat(seen(recorded.put(LoadFigure.REQUESTS, End.CLIENT, requests)))
                .isEqualTo(CLOSES + says);
    }

    @Test
    void repeated_handshakes_are_described() {
        Recorded recorded = Recorded.healthy().error("closed", 900);
        assertThat(seen(recorded.connectMillis(899, 3))).isEqualTo(CLOSES);
        assertThat(seen(recorded.connectMillis(1_030, 3)))
                .isEqualTo(
                        CLOSES
                                + "; 3 connects took 0.9 s or more, the steps in which a lost handshake is repeated");
    }
}
