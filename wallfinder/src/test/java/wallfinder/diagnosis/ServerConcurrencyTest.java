package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;

class ServerConcurrencyTest {
    /// Four workers that answer the requests of a connection one after the other before they turn
    /// to the next: most answers are as fast as alone.
    private static Recorded turns(double unread) {
        return Recorded.healthy()
                .connections(32)
                .unloadedMillis(40)
                .responseMillis(42, 900)
                .alsoResponseMillis(2_000, 20)
                .cpuShare(0.02)
                .grows(LoadFigure.REQUESTS, End.CLIENT, 920)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, unread);
    }

    @Test
    void workers_that_serve_some_connections_and_leave_the_others_unread_are_the_wall() {
        Diagnosis diagnosis = turns(28).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "a connection waits 348 ms for an answer on average; one alone takes 40 ms",
                        "100 % of the samples show unread requests in at least half of the 32 connections")
                .noneMatch(says -> says.contains("response time grew"));
    }

    @Test
    void a_few_unread_connections_are_not_the_wall() {
        Diagnosis diagnosis = turns(12).diagnosed();
        assertThat(diagnosis.wallId()).isEmpty();
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out ->
                        assertThat(out.because())
                                .isEqualTo(
                                        "a connection waits 348 ms for an answer on average, but only 0 % of the samples show unread requests in at least half of the 32 connections"));
    }

    private static String because(Recorded recorded) {
        return recorded.diagnosed().ruledOut().stream()
                .filter(out -> out.wall() instanceof ServerConcurrency)
                .map(Judgement.NotBinding::because)
                .findFirst()
                .orElseThrow();
    }

    /// Few workers, which mostly wait. An answer takes 16 times as long as alone.
    private static Recorded blocked() {
        return Recorded.healthy().unloadedMillis(15).responseMillis(240, 2_460).cpuShare(0.1);
    }

    /// In each third second nothing is answered.
    @Test
    void a_service_that_stops_for_whole_seconds_does_not_queue() {
        Recorded stopping =
                blocked()
                        .everySecond()
                        .put(
                                LoadFigure.REQUESTS,
                                End.CLIENT,
                                new double[] {
                                    0, 350, 350, 700, 1_050, 1_050, 1_400, 1_750, 1_750, 2_100,
                                    2_460
                                });
        assertThat(because(stopping)).isEqualTo("it answered nobody at all in 30 % of the time");
    }

    @Test
    void the_advice_depends_on_whether_connections_are_left_unread() {
        Recorded unread =
                Recorded.healthy()
                        .unanswered(56)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 56);
        assertThat(firstAdvice(unread)).startsWith("give each worker a request");
        assertThat(firstAdvice(blocked())).startsWith("find what the workers wait for");
    }

    private static String firstAdvice(Recorded recorded) {
        return new ServerConcurrency()
                .advice(recorded.diagnosed().headline(), recorded.observation())
                .getFirst()
                .command();
    }

    @Test
    void as_many_answers_as_the_connections_can_get_are_no_wall() {
        Recorded full =
                turns(28)
                        .responseMillis(42, 7_600)
                        .put(LoadFigure.REQUESTS, End.CLIENT, 0, 3_800, 7_600);
        assertThat(full.diagnosed().wallId()).isEmpty();
    }
}
