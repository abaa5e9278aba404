package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;

class ServerConcurrencyTest {
    private static final String WALL = "server-concurrency";

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
        assertThat(diagnosis.wallId()).contains(WALL);
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
        return NotNamed.because(recorded.diagnosed(), WallId.SERVER_CONCURRENCY);
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

    @Test
    void requests_that_wait_to_be_accepted_wait_for_workers_too() {
        Recorded queued =
                blocked()
                        .level(ListenFigure.QUEUE.of(8080), End.SERVER, 58)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 58);
        assertThat(queued.diagnosed().wallId()).contains(WALL);
        Evidence wait = queued.diagnosed().headline().evidence().getFirst();
        assertThat(wait.name()).isEqualTo("budget.accept");
        assertThat(wait.after()).isCloseTo(236e3, within(1e3));
        assertThat(wait.says())
                .isEqualTo(
                        "of the 245 ms by which an answer takes longer than alone, it waited 236 ms to be accepted and 0.00 ms to be read");
    }

    @Test
    void the_workers_at_work_are_counted_and_the_growth_is_shown() {
        assertThat(blocked().diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "246/s of 15 ms each: it works on about 3.7 requests at a time, and 64 connections ask",
                        "the mean response time grew from 15 ms alone to 240 ms");
    }

    /// A batch of requests that need 70 ms of CPU time takes little longer than that.
    @ParameterizedTest
    @CsvSource({"0.5, false", "0.1, true"})
    void batches_that_take_their_cpu_time_are_not_the_wall(double cpuShare, boolean named) {
        Recorded batches =
                Recorded.healthy()
                        .lockstep()
                        .responseMillis(70, 4_480)
                        .batchMillis(140, 70)
                        .cpuShare(cpuShare);
        assertThat(batches.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
        if (!named) {
            assertThat(because(batches))
                    .isEqualTo("a batch takes about as long as its CPU time: 85 ms");
        }
    }

    /// Ten steps of a second.
    @ParameterizedTest
    @CsvSource({"2, true", "3, false"})
    void a_service_that_often_answers_nobody_is_stopped_and_does_not_queue(
            int still, boolean named) {
        double[] requests = new double[Recorded.SECONDS + 1];
        for (int i = 1; i < requests.length; i++) {
            requests[i] = requests[i - 1] + (i <= still ? 0 : 300);
        }
        Recorded stalling = blocked().everySecond().put(LoadFigure.REQUESTS, End.CLIENT, requests);
        assertThat(stalling.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
        if (!named) {
            assertThat(because(stalling))
                    .isEqualTo("it answered nobody at all in 30 % of the time");
        }
    }

    private static Recorded leftUnread(long unanswered, double... unread) {
        return Recorded.healthy()
                .unanswered(unanswered)
                .everySecond()
                .put(ListenFigure.UNREAD.of(8080), End.SERVER, unread);
    }

    @ParameterizedTest
    @CsvSource({"40, 19, false", "40, 20, true", "30, 60, true", "30, 62, false"})
    void the_unread_connections_are_about_as_many_as_the_unanswered_ones(
            long unanswered, double unread, boolean named) {
        Diagnosis diagnosis = leftUnread(unanswered, unread, unread, unread).diagnosed();
        assertThat(diagnosis.wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    @Test
    void connections_that_are_unread_for_a_moment_prove_nothing() {
        assertThat(leftUnread(40, 40, 40, 40, 0, 0, 0, 0, 0, 0, 0, 0).diagnosed().wallId())
                .isEmpty();
        assertThat(leftUnread(40, 40, 40, 40, 40, 0, 0, 0, 0, 0, 0, 0).diagnosed().wallId())
                .contains(WALL);
    }

    private static List<String> advice(Recorded recorded) {
        Judgement.Binds binds = recorded.diagnosed().headline();
        assertThat(binds.wall()).isInstanceOf(ServerConcurrency.class);
        return binds.wall().advice(binds, recorded.observation()).stream()
                .map(Advice::command)
                .toList();
    }

    @Test
    void the_advice_depends_on_whether_connections_or_requests_wait() {
        assertThat(advice(leftUnread(40, 40, 40, 40)).getFirst())
                .startsWith("give each worker a request instead of a connection");
        assertThat(advice(blocked()).getFirst())
                .startsWith("find what the workers wait for (jcmd PID Thread.print)");
    }

    /// The generator never waits for an answer, so rates and latencies are its own.
    @Test
    void connections_without_an_answer_are_proof_although_the_generator_is_slow() {
        Recorded limited = leftUnread(40, 40, 40, 40).unloadedMillis(2).idleShare(0.01);
        assertThat(limited.diagnosed().verdict()).isEqualTo(Verdict.INVALID);
        assertThat(limited.diagnosed().also())
                .extracting(also -> also.wall().id().word())
                .containsExactly(WALL);
        Diagnosis slow = blocked().idleShare(0.01).diagnosed();
        assertThat(slow.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(slow.also()).isEmpty();
    }

    /// The experiment may go on to 256 connections.
    @ParameterizedTest
    @CsvSource({"64, 4, 256", "300, 4, 300", "64, 200, 400"})
    void workers_are_raised_to_one_for_each_connection_or_at_least_doubled(
            int connections, String workers, String wanted) {
        Knob knob = new Knob(workers, WallId.SERVER_CONCURRENCY, null, List.of());
        assertThat(
                        RemedyTest.texts(
                                blocked().connections(connections),
                                Map.of("workers", knob),
                                Limits.NONE))
                .containsExactly("workers " + workers + " -> " + wanted);
    }

    @Test
    void it_is_unknown_if_latency_server_or_good_answers_were_not_seen() {
        assertThat(because(blocked().command()))
                .isEqualTo("the load is a command: its latency is not known");
        assertThat(because(blocked().unwatched())).startsWith("unknown");
        Recorded silent = Recorded.healthy().unloadedMillis(0).responseMillis(0, 0);
        assertThat(because(silent)).startsWith("unknown");
    }

    @Test
    void an_open_loop_with_idle_connections_has_enough_workers() {
        assertThat(because(blocked().open(0.1, 1_220)))
                .isEqualTo(
                        "mostly some connections were idle: 50 % of the requests came due while all 64 were busy");
        assertThat(blocked().open(0.1, 1_230).diagnosed().wallId()).contains(WALL);
    }

    @Test
    void workers_that_run_are_as_many_as_the_cpus_allow() {
        Recorded running = blocked().connections(64).cpuShare(0.7);
        assertThat(because(running.unloadedMillis(4)))
                .isEqualTo(
                        "the workers run, or wait for a CPU, for 2.85 ms of the 4.00 ms that they work on an answer");
    }
}
