package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.WaitFigure;

/// A service watched for ten seconds under an unseen load: a limit that stops it for most of the
/// time is named without its harm.
class WatchedJudgementTest {
    private static final int INSTANTS = 101;

    private static final SandboxFacts NO_FACTS =
            new SandboxFacts(
                    "host",
                    new TreeMap<>(),
                    new TreeMap<>(),
                    2,
                    0,
                    false,
                    Limits.NONE,
                    true,
                    List.of(),
                    List.of());

    private final List<Series> series = new ArrayList<>();

    private WatchedJudgementTest at(Key key, IntToDoubleFunction value) {
        double[] values = new double[INSTANTS];
        for (int i = 0; i < INSTANTS; i++) {
            values[i] = value.applyAsDouble(i);
        }
        series.removeIf(s -> s.counter().key().equals(key));
        series.add(new Series(key.at(End.SERVER, "test"), values));
        return this;
    }

    /// Grows by one at every sample of the first seconds.
    private WatchedJudgementTest growsFor(double seconds, Key key) {
        return at(key, i -> Math.min(i, seconds * 10));
    }

    private WatchedJudgementTest level(Key key, double value) {
        return at(key, i -> value);
    }

    private Diagnosis diagnosed() {
        long[] nanos = new long[INSTANTS];
        for (int i = 0; i < INSTANTS; i++) {
            nanos[i] = i * 100_000_000L;
        }
        return Diagnosis.of(
                new Observation(new LoadOutcome.Unseen(10), new Timeline(nanos, series), NO_FACTS));
    }

    private static void assertNamed(Diagnosis diagnosis, String wall) {
        assertThat(diagnosis.wallId()).as(diagnosis.toString()).contains(wall);
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NAMED);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isNull();
        assertThat(diagnosis.headline().evidence()).isNotEmpty();
        assertThat(diagnosis.also()).allSatisfy(also -> assertThat(also.harm()).isNull());
    }

    private static void assertNear(Diagnosis diagnosis, String wall) {
        assertThat(diagnosis.verdict()).as(diagnosis.toString()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .as(diagnosis.toString())
                .anySatisfy(caveat -> assertThat(caveat.id()).isEqualTo("near:" + wall));
    }

    @Test
    void counters_that_do_not_move_name_no_wall() {
        assertThat(diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosed().ruledOut()).hasSize(Walls.ALL.size());
    }

    private WatchedJudgementTest throttled(double share) {
        return at(CgroupFigure.PERIODS.of("web"), i -> i)
                .at(CgroupFigure.THROTTLED_PERIODS.of("web"), i -> i * share);
    }

    @Test
    void a_quota_that_stops_it_in_most_periods_is_named() {
        assertNamed(throttled(0.6).diagnosed(), "cpu-quota");
    }

    @Test
    void a_quota_that_stops_it_in_four_of_ten_periods_is_near() {
        assertNear(throttled(0.4).diagnosed(), "cpu-quota");
    }

    @Test
    void an_accept_queue_that_overflows_most_of_the_time_is_named() {
        level(ListenFigure.LIMIT.of(8080), 128).level(ListenFigure.QUEUE.of(8080), 20);
        assertNamed(growsFor(6, ListenFigure.DROPS.of(8080)).diagnosed(), "accept-queue");
    }

    private WatchedJudgementTest fullOfHalfOpen(KernelCounter counter) {
        return level(ListenFigure.LIMIT.of(8080), 128)
                .growsFor(6, ListenFigure.DROPS.of(8080))
                .level(KernelCounter.LISTEN_OVERFLOWS, 0)
                .growsFor(6, counter);
    }

    @Test
    void a_syn_queue_that_drops_most_of_the_time_is_named() {
        assertNamed(fullOfHalfOpen(KernelCounter.SYN_QUEUE_DROPS).diagnosed(), "syn-queue");
    }

    /// A cookie replaces a place in the queue.
    @Test
    void a_syn_queue_that_sends_cookies_most_of_the_time_is_near() {
        assertNear(fullOfHalfOpen(KernelCounter.SYN_COOKIES_SENT).diagnosed(), "syn-queue");
    }

    @Test
    void lookups_that_wait_most_of_the_time_are_named_and_one_in_the_background_is_near() {
        level(EndFigure.LOOKUPS_LONGEST, 5);
        assertNamed(at(EndFigure.LOOKUPS_WAITING, i -> i < 70 ? 9 : 0).diagnosed(), "name-lookup");
        assertNear(level(EndFigure.LOOKUPS_WAITING, 1).diagnosed(), "name-lookup");
    }

    @Test
    void an_accept_queue_that_overflowed_in_one_burst_is_near() {
        level(ListenFigure.LIMIT.of(8080), 128).level(ListenFigure.QUEUE.of(8080), 127);
        assertNear(growsFor(2, ListenFigure.DROPS.of(8080)).diagnosed(), "accept-queue");
    }

    @Test
    void a_full_queue_without_accepts_is_named_although_it_seldom_overflows() {
        level(ListenFigure.LIMIT.of(8080), 8).level(ListenFigure.QUEUE.of(8080), 9);
        assertNamed(growsFor(1, ListenFigure.DROPS.of(8080)).diagnosed(), "accept-queue");
    }

    @Test
    void overflows_of_another_service_on_the_host_do_not_count() {
        level(ListenFigure.LIMIT.of(8080), 128).level(ListenFigure.QUEUE.of(8080), 100);
        Diagnosis diagnosis = growsFor(10, KernelCounter.LISTEN_OVERFLOWS).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).isEmpty();
    }

    private WatchedJudgementTest descriptors(double open, double seconds) {
        return level(ProcessFigure.DESCRIPTOR_LIMIT.of("web"), 1024)
                .at(ProcessFigure.DESCRIPTORS.of("web"), i -> i <= seconds * 10 ? open : 600);
    }

    @Test
    void descriptors_that_are_all_used_are_named() {
        assertNamed(descriptors(1024, 8).diagnosed(), "file-descriptors");
    }

    @Test
    void descriptors_that_are_nearly_all_used_are_near() {
        assertNear(descriptors(1023, 10).diagnosed(), "file-descriptors");
    }

    @Test
    void descriptors_that_were_all_used_for_a_moment_are_near() {
        assertNear(descriptors(1024, 3).diagnosed(), "file-descriptors");
    }

    @Test
    void one_kill_for_memory_is_named() {
        at(CgroupFigure.OOM_KILLS.of("web"), i -> i < 90 ? 3 : 4);
        assertNamed(diagnosed(), "memory-limit");
    }

    @Test
    void kills_from_before_the_watch_are_not() {
        level(CgroupFigure.MEMORY_LIMIT.of("web"), 100).level(CgroupFigure.MEMORY.of("web"), 80);
        at(CgroupFigure.OOM_KILLS.of("web"), i -> 3);
        assertThat(diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void threads_that_are_refused_while_all_are_in_use_are_named() {
        level(CgroupFigure.TASKS.of("web"), 64).level(CgroupFigure.TASK_LIMIT.of("web"), 64);
        assertNamed(growsFor(1, CgroupFigure.FORKS_REFUSED.of("web")).diagnosed(), "thread-limit");
    }

    @Test
    void all_threads_in_use_after_refusals_from_before_are_named() {
        level(CgroupFigure.TASKS.of("web"), 64).level(CgroupFigure.TASK_LIMIT.of("web"), 64);
        at(CgroupFigure.FORKS_REFUSED.of("web"), i -> 12);
        assertNamed(diagnosed(), "thread-limit");
    }

    @Test
    void earlier_refusals_do_not_count_if_there_is_room() {
        level(CgroupFigure.TASKS.of("web"), 60).level(CgroupFigure.TASK_LIMIT.of("web"), 64);
        at(CgroupFigure.FORKS_REFUSED.of("web"), i -> 12);
        assertThat(diagnosed().verdict()).isEqualTo(Verdict.NONE);
    }

    @Test
    void a_thread_that_was_refused_once_is_near() {
        level(CgroupFigure.TASKS.of("web"), 50).level(CgroupFigure.TASK_LIMIT.of("web"), 64);
        assertNear(growsFor(1, CgroupFigure.FORKS_REFUSED.of("web")).diagnosed(), "thread-limit");
    }

    @Test
    void pages_that_are_read_again_all_the_time_are_named() {
        level(CgroupFigure.MEMORY.of("web"), 63).level(CgroupFigure.MEMORY_LIMIT.of("web"), 64);
        at(CgroupFigure.REFAULTS.of("web"), i -> 40 * i);
        assertNamed(diagnosed(), "page-cache");
    }

    @Test
    void pages_that_were_read_again_in_one_second_are_near() {
        level(CgroupFigure.MEMORY.of("web"), 63).level(CgroupFigure.MEMORY_LIMIT.of("web"), 64);
        at(CgroupFigure.REFAULTS.of("web"), i -> 400 * Math.min(i, 10));
        assertNear(diagnosed(), "page-cache");
    }

    @Test
    void pages_that_come_back_from_swap_all_the_time_are_named() {
        at(CgroupFigure.SWAP_REFAULTS.of("web"), i -> 40 * i);
        level(WaitFigure.PAGE.of("web"), 0.7);
        assertNamed(diagnosed(), "swap");
    }

    @Test
    void pages_that_came_back_from_swap_in_one_second_are_near() {
        at(CgroupFigure.SWAP_REFAULTS.of("web"), i -> 400 * Math.min(i, 10));
        level(WaitFigure.PAGE.of("web"), 0.7);
        assertNear(diagnosed(), "swap");
    }

    @Test
    void a_service_that_uses_all_its_cpus_is_named() {
        at(ProcessFigure.CPU.of("web"), i -> 0.19 * i);
        assertNamed(diagnosed(), "cpu");
    }

    @Test
    void a_service_that_mostly_waits_for_a_cpu_that_others_use_is_near() {
        at(ProcessFigure.CPU.of("web"), i -> 0.02 * i);
        at(ProcessFigure.WAITING.of("web"), i -> 0.5 * i);
        at(EndFigure.CPUS_BUSY, i -> 0.2 * i);
        assertNear(diagnosed(), "cpu");
    }

    @Test
    void a_service_that_ends_is_judged_by_its_readings() {
        at(CgroupFigure.PERIODS.of("web"), i -> i < 30 ? i : Double.NaN);
        at(CgroupFigure.THROTTLED_PERIODS.of("web"), i -> i < 30 ? i * 0.9 : Double.NaN);
        assertNamed(diagnosed(), "cpu-quota");
    }

    /// @param periods the seconds between two readings
    private static double growing(double periods, double... values) {
        long[] nanos = new long[values.length];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = Math.round(i * periods * 1e9);
        }
        Series drops = new Series(ListenFigure.DROPS.of(8080).at(End.SERVER, "test"), values);
        return WatchedJudgement.growing(
                drops,
                new Observation(
                        new LoadOutcome.Unseen(values.length * periods),
                        new Timeline(nanos, List.of(drops)),
                        NO_FACTS));
    }

    /// A watch of hours keeps readings that are seconds apart.
    @Test
    void a_counter_that_grows_by_one_between_readings_grew_in_one_second_of_them() {
        assertThat(growing(4, 0, 1, 2, 3, 4)).isEqualTo(0.25);
        assertThat(growing(4, 0, 0.4, 0.8, 1.2, 1.6)).isEqualTo(0.25);
        assertThat(growing(4, 0, 3, 3, 900, 900)).isEqualTo(7 / 16.0);
        assertThat(growing(4, 0, 4, 100, 1_000, 5_000)).isEqualTo(1);
        assertThat(growing(4, 0, 0, 0, 0, 0)).isZero();
    }

    @Test
    void a_counter_that_grows_several_times_in_a_second_grew_in_one_second() {
        assertThat(growing(0.25, 0, 1, 2, 3, 4, 4, 4, 4, 4)).isEqualTo(0.5);
        assertThat(growing(0.25, 0, 0, 0, 0, 900, 900, 900, 900, 900)).isEqualTo(0.5);
    }

    @Test
    void seconds_before_the_first_reading_do_not_count() {
        double unread = Double.NaN;
        assertThat(growing(1, unread, unread, unread, unread, 7, 8, 8)).isEqualTo(0.5);
        assertThat(growing(1, 7, unread, unread, unread, 8)).isEqualTo(0.25);
    }

    /// The same recording, if a watch had seen it without the load.
    static Diagnosis watched(Recorded recorded) {
        Observation seen = recorded.observation();
        return Diagnosis.of(
                new Observation(
                        new LoadOutcome.Unseen(Recorded.SECONDS), seen.timeline(), seen.facts()));
    }

    private static double share(double limit, double... values) {
        Series queue = new Series(ListenFigure.QUEUE.of(8080).at(End.SERVER, "test"), values);
        Observation observation =
                new Observation(
                        new LoadOutcome.Unseen(10),
                        new Timeline(new long[values.length], List.of(queue)),
                        NO_FACTS);
        return WatchedJudgement.share(EvidenceFigures.level(queue, limit, ""), observation);
    }

    @Test
    void a_level_stops_a_service_while_it_is_at_its_limit() {
        assertThat(share(8, 8, 9, 7, 0)).isEqualTo(0.5);
        assertThat(share(8, 8, Double.NaN, 7, Double.NaN)).isEqualTo(0.5);
        assertThat(share(8, 7, 7)).isZero();
    }

    @Test
    void evidence_without_readings_or_a_limit_covers_the_whole_watch() {
        Observation empty =
                new Observation(
                        new LoadOutcome.Unseen(10), new Timeline(new long[2], List.of()), NO_FACTS);
        Evidence derived = EvidenceFigures.seen("derived", End.SERVER, 1, "test", "");
        assertThat(WatchedJudgement.share(derived, empty)).isEqualTo(1);
        Series level =
                new Series(ListenFigure.QUEUE.of(8080).at(End.SERVER, "test"), new double[] {0, 0});
        Observation seen =
                new Observation(
                        new LoadOutcome.Unseen(10),
                        new Timeline(new long[2], List.of(level)),
                        NO_FACTS);
        assertThat(WatchedJudgement.share(EvidenceFigures.largest(level, null, ""), seen))
                .isEqualTo(1);
    }
}
