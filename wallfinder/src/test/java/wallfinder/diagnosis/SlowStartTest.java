package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;

/// A single request takes 15 ms, and the mean response time of the load is 40 ms.
class SlowStartTest {
    @Test
    void a_service_that_is_slow_only_at_first_is_cold_and_not_stopped() {
        Diagnosis diagnosis = answering(200, 90, 16, 16, 16, 16, 16, 16, 16, 16).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .extracting(Caveat::advice)
                .contains(
                        "only the first 2 seconds were slow (mean response time 200 ms, later 16 ms), as if the service was cold: warm it up first (--warmup 10s)");
    }

    @Test
    void the_first_second_may_have_no_answer() {
        assertThat(answering(0, 250, 16, 16, 16, 16, 16, 16, 16, 16).diagnosed().verdict())
                .isEqualTo(Verdict.NONE);
    }

    @Test
    void a_slow_second_later_is_no_start() {
        assertStopped(answering(200, 16, 16, 16, 16, 90, 16, 16, 16, 16));
        assertStopped(answering(16, 16, 16, 16, 16, 16, 16, 16, 16, 250));
    }

    @Test
    void a_service_that_stays_slow_is_stopped() {
        assertStopped(answering(200, 35, 35, 35, 35, 35, 35, 35, 35, 35));
    }

    @Test
    void most_of_the_load_is_no_start() {
        assertStopped(answering(80, 80, 80, 80, 80, 80, 16, 16, 16, 16));
    }

    @Test
    void failed_requests_do_not_pass_as_a_start() {
        assertStopped(answering(200, 16, 16, 16, 16, 16, 16, 16, 16, 16).error("timeout", 100));
    }

    private static void assertStopped(Recorded seen) {
        assertThat(seen.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// A hundred answers a second, with this mean response time in each second.
    private static Recorded answering(double... millis) {
        double[] requests = new double[millis.length + 1];
        double[] sums = new double[millis.length + 1];
        for (int i = 0; i < millis.length; i++) {
            double answers = millis[i] == 0 ? 0 : 100;
            requests[i + 1] = requests[i] + answers;
            sums[i + 1] = sums[i] + answers * 1e3 * millis[i];
        }
        return Recorded.healthy()
                .everySecond()
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0)
                .responseMillis(40, (long) Arrays.stream(requests).max().orElseThrow())
                .put(LoadFigure.REQUESTS, End.CLIENT, requests)
                .put(LoadFigure.RESPONSE_MICROS_SUM, End.CLIENT, sums);
    }
}
