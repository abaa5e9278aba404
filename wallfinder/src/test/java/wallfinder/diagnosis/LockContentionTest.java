package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.WaitFigure;

class LockContentionTest {
    /// 64 connections and 1,000 answers/s, so 64 ms for an answer, of which one waiting thread is 1
    /// ms. Alone it is 15 ms.
    private static Recorded locked(double waiting) {
        return Recorded.healthy()
                .connections(64)
                .responseMillis(64, 10_000)
                .unloadedMillis(15)
                .cpuShare(0.1)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 0)
                .level(WaitFigure.LOCK.of("users"), End.SERVER, waiting)
                .levelAlone(WaitFigure.LOCK.of("users"), 0);
    }

    private static Recorded asked(Recorded recorded, double looks, double waiters) {
        return recorded.grows(JvmFigure.LOCK_LOOKS.of("users"), End.SERVER, looks)
                .grows(JvmFigure.LOCK_WAITERS.of("users"), End.SERVER, waiters);
    }

    @Test
    void a_lock_that_a_jvm_names_is_the_wall() {
        Diagnosis diagnosis = asked(locked(48), 10, 450).diagnosed();
        assertThat(diagnosis.wallId()).contains("lock-contention");
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence().get(1).says())
                .isEqualTo("in 10 looks, 45.0 threads of users waited for one lock on average");
        assertThat(diagnosis.also()).isEmpty();
    }

    /// As at the start of a program, whose first requests wait for the making of an object.
    @Test
    void a_lock_that_is_held_for_a_moment_is_not_named() {
        Recorded moment =
                locked(0).put(WaitFigure.LOCK.of("users"), End.SERVER, new double[] {0, 48, 0});
        assertThat(asked(moment, 2, 60).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void a_single_look_proves_nothing() {
        assertThat(asked(locked(48), 1, 45).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void threads_that_wait_for_many_locks_are_not_named() {
        assertThat(asked(locked(48), 10, 200).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void one_futex_is_a_lock_if_one_request_at_a_time_is_worked_on() {
        Diagnosis diagnosis =
                locked(63).level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, 60).diagnosed();
        assertThat(diagnosis.wallId()).contains("lock-contention");
        assertThat(diagnosis.headline().evidence().get(1).says())
                .isEqualTo(
                        "60.0 threads of users waited at one futex on average, while 1.0 requests were worked on");
    }

    /// Sixteen requests are worked on, as in a pool of sixteen connections.
    @Test
    void one_futex_is_no_lock_if_several_requests_are_worked_on() {
        Recorded pool = locked(48).level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, 48);
        assertThat(pool.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    /// The sampler may miss a twentieth of the waiting threads: 5 requests of 64 are worked on.
    @Test
    void a_sampler_that_misses_a_few_waiting_threads_sees_the_lock() {
        assertThat(atOneFutex(59).diagnosed().wallId()).contains("lock-contention");
        assertThat(atOneFutex(58).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void threads_that_wait_at_many_futexes_are_not_named() {
        Recorded many = locked(62).level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, 25);
        assertThat(many.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        many.level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, 35);
        assertThat(many.diagnosed().wallId()).contains("lock-contention");
    }

    private static Recorded atOneFutex(double threads) {
        return locked(threads).level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, threads);
    }

    /// Sixteen requests are worked on, give or take a few.
    @Test
    void a_pool_whose_waiting_threads_vary_is_no_lock() {
        Recorded pool =
                locked(48)
                        .put(
                                WaitFigure.SAME_FUTEX.of("users"),
                                End.SERVER,
                                new double[] {48, 38, 58, 38, 58, 48, 48});
        assertThat(pool.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void a_sample_that_was_not_read_does_not_hide_the_lock() {
        Recorded batches =
                locked(57)
                        .put(
                                WaitFigure.SAME_FUTEX.of("users"),
                                End.SERVER,
                                new double[] {0, 110, 85, Double.NaN, 57, 29, 4, 0});
        assertThat(batches.diagnosed().wallId()).contains("lock-contention");
    }

    /// Of 64 connections, 3 lie in the accept queue and 8 are unread. Their requests are not yet
    /// worked on.
    @Test
    void requests_in_a_queue_are_not_worked_on() {
        Recorded queued =
                atOneFutex(52)
                        .level(ListenFigure.QUEUE.of(8080), End.SERVER, 3)
                        .level(ListenFigure.UNREAD.of(8080), End.SERVER, 11);
        Diagnosis diagnosis = queued.diagnosed();
        assertThat(diagnosis.wallId()).contains("lock-contention");
        assertThat(diagnosis.headline().evidence().get(1).says())
                .endsWith("while 1.0 requests were worked on");
    }

    /// Sixteen requests are worked on, and most of them fail.
    @Test
    void requests_that_get_a_bad_answer_are_worked_on_too() {
        Recorded failing = atOneFutex(48).responseMillis(64, 500).bad(500, 64, 9_500);
        assertThat(failing.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void the_largest_of_several_futexes_is_the_lock() {
        Recorded two =
                atOneFutex(60)
                        .level(WaitFigure.LOCK.of("db"), End.SERVER, 2)
                        .levelAlone(WaitFigure.LOCK.of("db"), 0)
                        .level(WaitFigure.SAME_FUTEX.of("db"), End.SERVER, 2);
        assertThat(two.diagnosed().headline().evidence().get(1).says())
                .startsWith("60.0 threads of users");
    }

    @Test
    void a_knob_that_divides_the_lock_is_raised() {
        Knob stripes = new Knob("4", WallId.LOCK_CONTENTION, null, List.of());
        assertThat(RemedyTest.texts(atOneFutex(60), Map.of("stripes", stripes), Limits.NONE))
                .containsExactly("stripes 4 -> 8");
    }

    /// At the start of a batch all requests wait, at its end none. By a few samples 7 requests were
    /// worked on, which may also be one.
    @Test
    void the_samples_of_batches_may_miss_some_of_the_waiting_threads() {
        Recorded steady = locked(57).level(WaitFigure.SAME_FUTEX.of("users"), End.SERVER, 57);
        assertThat(steady.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        Recorded batches =
                locked(57)
                        .put(
                                WaitFigure.SAME_FUTEX.of("users"),
                                End.SERVER,
                                new double[] {0, 110, 85, 57, 29, 4, 0});
        assertThat(batches.diagnosed().wallId()).contains("lock-contention");
    }

    @Test
    void a_lock_as_long_as_alone_is_not_named() {
        Recorded recorded = locked(14).levelAlone(WaitFigure.LOCK.of("users"), 0.5);
        assertThat(asked(recorded, 10, 140).diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void a_disk_explains_the_lock() {
        Recorded disk =
                asked(locked(48), 10, 450)
                        .level(WaitFigure.DISK.of("users"), End.SERVER, 0.9)
                        .levelAlone(WaitFigure.DISK.of("users"), 0);
        assertThat(disk.diagnosed().wallId()).contains("disk-io");
        assertThat(disk.diagnosed().also()).isEmpty();
    }

    @Test
    void a_busy_cpu_explains_the_wait() {
        assertThat(asked(locked(48), 10, 450).cpuShare(0.99).diagnosed().wallId()).contains("cpu");
    }
}
