package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.WaitFigure;

/// The parts of an answer's time, computed from mean numbers of threads and requests.
class BudgetPartsTest {
    private static final String BACKEND = "10.0.0.7:5432";

    /// 64 connections, 1,000 answers/s: an answer takes 64 ms, and one busy thread is 1 ms of it.
    private static Recorded busy() {
        return Recorded.healthy()
                .connections(64)
                .responseMillis(64, 10_000)
                .cpuShare(0)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0);
    }

    private static double millis(Recorded recorded, String key) {
        return loaded(recorded).micros(key) / 1e3;
    }

    private static Budget.Parts loaded(Recorded recorded) {
        return Budget.of(recorded.observation()).orElseThrow().loaded();
    }

    private static void assertMillis(Recorded recorded, String key, double expected) {
        assertThat(millis(recorded, key)).isCloseTo(expected, within(0.01));
    }

    @Test
    void a_mean_number_divided_by_the_rate_is_a_time() {
        Recorded recorded =
                busy().cpuShare(0.9)
                        .grows(ProcessFigure.WAITING.of("users"), End.SERVER, 3)
                        .level(WaitFigure.LOCK.of("users"), End.SERVER, 5)
                        .level(WaitFigure.DISK.of("users"), End.SERVER, 6)
                        .level(WaitFigure.OUTPUT.of("users"), End.SERVER, 7)
                        .level(WaitFigure.TRANSMIT.of("users"), End.SERVER, 1.5)
                        .level(WaitFigure.SLEEP.of("users"), End.SERVER, 8)
                        .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, 9);
        assertMillis(recorded, "run", 0.9);
        assertMillis(recorded, "runnable", 0.3);
        assertMillis(recorded, "lock", 5);
        assertMillis(recorded, "disk", 6);
        assertMillis(recorded, "output", 7);
        assertMillis(recorded, "transmit", 1.5);
        assertMillis(recorded, "sleep", 8);
        assertMillis(recorded, "dependency:" + BACKEND, 9);
        assertMillis(recorded, "unexplained", 64 - 0.9 - 0.3 - 5 - 6 - 7 - 1.5 - 8 - 9);
        assertThat(loaded(recorded).explainedShare()).isCloseTo(37.7 / 64, within(0.001));
    }

    @Test
    void a_connection_that_waits_to_be_accepted_does_not_count_as_unread_too() {
        Recorded recorded =
                busy().listener(8080, 10, 4096, 0)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 25);
        assertMillis(recorded, "accept", 10);
        assertMillis(recorded, "unread", 15);
    }

    /// Several sockets with a queue each listen on one port.
    @Test
    void connections_wait_to_be_accepted_in_all_queues_of_a_port() {
        Recorded recorded =
                busy().listener(8080, 10, 4096, 0)
                        .level(ListenFigure.QUEUED.of(8080), End.SERVER, 24)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 25);
        assertMillis(recorded, "accept", 24);
        assertMillis(recorded, "unread", 1);
    }

    @Test
    void the_first_and_the_last_value_and_those_that_were_not_read_do_not_count() {
        double[] locked = {90, Double.NaN, 4, 8, 6, 6, 6, 6, 6, 6, 90};
        Recorded recorded =
                busy().everySecond()
                        .put(WaitFigure.LOCK.of("users"), End.SERVER, locked)
                        .put(
                                WaitFigure.DISK.of("users"),
                                End.SERVER,
                                Double.NaN,
                                Double.NaN,
                                Double.NaN);
        assertMillis(recorded, "lock", 6);
        assertThat(loaded(recorded).shares()).noneMatch(share -> share.key().equals("disk"));
    }

    @Test
    void a_jvms_compilers_and_collectors_work_beside_the_answers() {
        Recorded recorded =
                busy().cpuShare(0.9)
                        .grows(ProcessFigure.WAITING.of("users"), End.SERVER, 5)
                        .grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 1)
                        .grows(JvmFigure.COMPILER_CPU.of("users"), End.SERVER, 2)
                        .grows(JvmFigure.OWN_WAITING.of("users"), End.SERVER, 3);
        assertMillis(recorded, "run", 0.6);
        assertMillis(recorded, "runnable", 0.2);
    }

    /// Stopped for a fifth of the time: of the 5 threads in futex, one would run otherwise, as it
    /// does in the other four fifths, and a fifth of the time of the others is a pause, too.
    @Test
    void a_pause_is_not_a_lock() {
        Recorded recorded =
                busy().cpuShare(0.8)
                        .level(WaitFigure.LOCK.of("users"), End.SERVER, 5.2)
                        .grows(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, 2);
        assertMillis(recorded, "gc", 0.2 + 1);
        assertMillis(recorded, "lock", 4);
        assertMillis(recorded, "run", 0.8);
    }

    /// A JVM that publishes no figures.
    @Test
    void pauses_that_are_not_counted_show_in_the_threads_that_stop_the_world() {
        Recorded recorded =
                busy().cpuShare(0.8)
                        .level(WaitFigure.LOCK.of("users"), End.SERVER, 5.2)
                        .level(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, Double.NaN)
                        .grows(JvmFigure.STOPPING_CPU.of("users"), End.SERVER, 2);
        assertMillis(recorded, "gc", 0.2 + 1);
        assertMillis(recorded, "lock", 4);
    }

    @Test
    void pauses_without_a_thread_that_waits_take_no_time() {
        Recorded recorded =
                busy().level(WaitFigure.LOCK.of("users"), End.SERVER, 0)
                        .grows(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, 10);
        assertMillis(recorded, "gc", 0);
        assertMillis(recorded, "lock", 0);
    }

    @Test
    void a_wait_for_what_another_thread_reads_belongs_to_the_dependency() {
        Recorded recorded =
                busy().level(WaitFigure.LOCK.of("users"), End.SERVER, 60)
                        .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, 40);
        assertMillis(recorded, "dependency:" + BACKEND, 40);
        assertMillis(recorded, "lock", 24);
        assertMillis(recorded, "unexplained", 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:5432", "unix:@behind"})
    void the_threads_of_a_service_behind_are_in_no_other_part(String address) {
        Recorded recorded =
                busy().service("users", List.of(8080), List.of())
                        .service("behind", List.of(5432), List.of("@behind"))
                        .level(DependencyFigure.BUSY.of(address), End.SERVER, 40)
                        .level(WaitFigure.SLEEP.of("behind"), End.SERVER, 30)
                        .level(WaitFigure.SLEEP.of("users"), End.SERVER, 8);
        assertMillis(recorded, "dependency:" + address, 40);
        assertMillis(recorded, "sleep", 8);
    }

    /// A proxy in front of another host's port of the same number.
    @Test
    void a_service_is_not_behind_itself() {
        Recorded recorded =
                busy().service("users", List.of(5432), List.of())
                        .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, 40)
                        .level(WaitFigure.SLEEP.of("users"), End.SERVER, 8);
        assertMillis(recorded, "dependency:" + BACKEND, 40);
        assertMillis(recorded, "sleep", 8);
    }

    /// An open loop above the capacity sends what was due until its end after the last sample.
    @Test
    void answers_after_the_last_sample_do_not_count() {
        Recorded recorded =
                busy().responseMillis(64, 14_000)
                        .put(LoadFigure.REQUESTS, End.CLIENT, 0, 5_000, 10_000)
                        .level(WaitFigure.DISK.of("users"), End.SERVER, 30);
        assertMillis(recorded, "disk", 30);
    }

    /// Nine of ten requests are quick under load; alone every second one was.
    @Test
    void what_a_mix_of_other_shares_does_alone_says_nothing_about_the_load() {
        Recorded recorded =
                busy().unloadedMillis(10.9)
                        .target("/quick", 1)
                        .target("/slow", 100)
                        .levelAlone(WaitFigure.SLEEP.of("users"), 0.375);
        assertThat(Budget.of(recorded.observation()).orElseThrow().alone()).isNull();
    }

    @Test
    void only_waits_for_a_lock_give_way() {
        Recorded recorded =
                busy().level(WaitFigure.DISK.of("users"), End.SERVER, 60)
                        .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, 40);
        assertMillis(recorded, "disk", 60);
        assertMillis(recorded, "unexplained", -36);
        assertThat(loaded(recorded).explainedShare()).isCloseTo(1 - 36.0 / 64, within(0.001));
    }

    @Test
    void the_parts_add_up_to_the_response() {
        Recorded recorded = busy().cpuShare(0.7).level(WaitFigure.SLEEP.of("users"), End.SERVER, 8);
        assertThat(loaded(recorded).shares().stream().mapToDouble(Budget.Share::micros).sum())
                .isCloseTo(64_000, within(1.0));
    }

    @Test
    void an_open_loop_takes_the_mean_service_time() {
        Recorded recorded = busy().responseMillis(20, 10_000).open(0, 0);
        assertThat(loaded(recorded).responseMicros()).isCloseTo(20_000, within(50.0));
    }

    /// A rejection keeps the service busy, too, but not for long.
    @Test
    void the_time_of_all_answers_contains_the_bad_ones() {
        Recorded recorded = busy().responseMillis(20, 10_000).open(0, 0).bad(503, 2, 10_000);
        assertThat(loaded(recorded).responseMicros()).isCloseTo(11_000, within(50.0));
    }

    @Test
    void what_was_seen_without_load_has_parts_of_its_own() {
        Recorded recorded = busy().unloadedMillis(15);
        assertThat(Budget.of(recorded.observation()).orElseThrow().alone()).isNull();

        recorded.levelAlone(WaitFigure.SLEEP.of("users"), 0.375);
        Budget budget = Budget.of(recorded.observation()).orElseThrow();
        assertThat(budget.alone()).isNotNull();
        assertThat(budget.alone().micros("sleep")).isCloseTo(7_500, within(1.0));
        assertThat(budget.alone().micros("unexplained")).isCloseTo(7_500, within(20.0));
    }

    @Test
    void without_answers_or_a_view_of_the_service_there_is_no_budget() {
        assertThat(Budget.of(busy().unwatched().observation())).isEmpty();
        assertThat(Budget.of(busy().command().observation())).isEmpty();
        assertThat(Budget.of(busy().responseMillis(1, 0).observation())).isEmpty();
    }

    private static Map<String, Double> means(Recorded recorded) {
        return Budget.busy(recorded.observation()).stream()
                .collect(Collectors.toMap(Budget.Busy::does, Budget.Busy::mean));
    }

    /// What `watch` prints, which sees no answers.
    @Test
    void under_the_load_of_others_the_mean_numbers_remain() {
        Recorded recorded =
                busy().command()
                        .cpuShare(0.9)
                        .level(WaitFigure.DISK.of("users"), End.SERVER, 6)
                        .level(DependencyFigure.BUSY.of(BACKEND), End.SERVER, 9);
        assertThat(means(recorded))
                .containsEntry("waits for a file or a page", 6.0)
                .containsEntry("waits for " + BACKEND, 9.0)
                .containsEntry("waits to be read from its socket", 0.0);
        assertThat(means(recorded).get("runs")).isCloseTo(0.9, within(0.01));
        assertThat(Budget.busy(busy().unwatched().observation())).isEmpty();
    }

    @Test
    void what_only_a_look_without_load_shows_is_missing() {
        Recorded recorded =
                busy().level(WaitFigure.LOCK.of("users"), End.SERVER, 5)
                        .level(WaitFigure.SLEEP.of("users"), End.SERVER, 8);
        assertThat(means(recorded))
                .doesNotContainKeys("waits for another thread", "sleeps for a set time");
    }
}
