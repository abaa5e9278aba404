package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.WaitFigure;

class SwapTest {
    private static final String WALL = "swap";
    private static final double MB = 1 << 20;

    /// The service answered 2,460 requests, each slower than a single request without load. Its one
    /// thread ran in 40 % of the time and waited for pages in `waiting`.
    private static Recorded slow(double pages, double waiting) {
        return Recorded.healthy()
                .unloadedMillis(15.9)
                .responseMillis(240, 2_460)
                .cpuShare(0.4)
                .busiestWantedShare(0.4)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 50)
                .grows(CgroupFigure.SWAP_REFAULTS.of("users"), End.SERVER, pages)
                .grows(CgroupFigure.MAJOR_FAULTS.of("users"), End.SERVER, 9_000)
                .level(CgroupFigure.SWAP.of("users"), End.SERVER, 40 * MB)
                .level(WaitFigure.PAGE.of("users"), End.SERVER, waiting)
                .level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 * MB)
                .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, 64 * MB);
    }

    @Test
    void waits_for_pages_from_swap_are_named_and_concurrency_is_not() {
        Diagnosis diagnosis = slow(9_000, 0.3).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "cgroup[users].swapRefaults",
                        "cgroup[users].majorFaults",
                        "cgroup[users].swap",
                        "waits[users].page",
                        "cgroup[users].memory");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void the_evidence_says_what_an_answer_met_and_requests_that_fail_are_errors() {
        Recorded failing = slow(9_000, 0.3).bad(500, 240, 540);
        assertThat(failing.diagnosed().wallId()).contains(WALL);
        assertThat(failing.diagnosed().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(failing.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "9000 pages came back from swap, 3.0 for each answer",
                        "it had up to 40 MB in swap",
                        "derived: on average 0.30 threads waited for a page");
    }

    /// A hundred pages a second, and a thread that is busy or waits for pages in most of the time.
    @ParameterizedTest
    @CsvSource({
        "1010, 0.30, 0.4, true",
        "990, 0.30, 0.4, false",
        "1010, 0.10, 0.4, false",
        "1010, 0.05, 0.8, false"
    })
    void under_a_load_command_the_rate_of_pages_and_the_busy_thread_decide(
            double pages, double waiting, double running, boolean named) {
        Recorded command =
                slow(pages, waiting)
                        .commandWithAnswers(0)
                        .cpuShare(running)
                        .busiestWantedShare(running);
        assertThat(command.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    /// The memory that nobody needs stays there.
    @Test
    void swap_in_use_is_no_wall() {
        assertThat(slow(0, 0).diagnosed().wallId()).contains("server-concurrency");
        assertThat(slow(1_230, 0.3).diagnosed().wallId()).contains("server-concurrency");
    }

    /// As from compressed memory.
    @Test
    void pages_that_come_back_without_a_wait_are_no_wall() {
        assertThat(slow(90_000, 0.02).diagnosed().wallId()).contains("server-concurrency");
    }

    /// Of 0.9 threads, 0.3 wait for pages, but 20 others wait for another thread.
    @Test
    void a_service_that_waits_longer_for_something_else_is_not_named() {
        Recorded locked = slow(9_000, 0.3).level(WaitFigure.LOCK.of("users"), End.SERVER, 20);
        assertThat(locked.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    /// The service has time for more.
    @Test
    void a_thread_that_is_seldom_busy_is_not_named() {
        Recorded idle = slow(9_000, 0.1).cpuShare(0.1).busiestWantedShare(0.1);
        assertThat(idle.diagnosed().wallId()).contains("server-concurrency");
    }

    @Test
    void the_larger_count_decides_between_swap_and_page_cache() {
        var files = CgroupFigure.REFAULTS.of("users");
        Recorded moreSwap = slow(9_000, 0.3).grows(files, End.SERVER, 8_000);
        assertThat(moreSwap.diagnosed().wallId()).contains(WALL);
        assertThat(moreSwap.diagnosed().also()).isEmpty();
        Recorded moreFiles = slow(9_000, 0.3).grows(files, End.SERVER, 10_000);
        assertThat(moreFiles.diagnosed().wallId()).contains("page-cache");
        assertThat(moreFiles.diagnosed().also()).isEmpty();
    }

    @Test
    void a_load_as_fast_as_a_single_request_is_only_near() {
        Diagnosis diagnosis = slow(90_000, 0.5).responseMillis(16, 40_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void without_a_look_at_the_threads_it_is_unknown() {
        Diagnosis unseen = slow(9_000, Double.NaN).diagnosed();
        assertThat(unseen.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(unseen.ruledOut()).contains(new Judgement.Unknown(new Swap(), Missing.READINGS));
    }

    /// The collector needs every page of the heap.
    @Test
    void swap_explains_long_collections() {
        Recorded collecting =
                slow(9_000, 0.3)
                        .grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 2)
                        .grows(JvmFigure.PAUSES.of("users"), End.SERVER, 10)
                        .grows(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, 5);
        assertThat(collecting.diagnosed().wallId()).contains(WALL);
        assertThat(collecting.diagnosed().also()).isEmpty();
        Recorded quick = collecting.level(WaitFigure.PAGE.of("users"), End.SERVER, 0);
        assertThat(quick.diagnosed().wallId()).contains("gc");
    }

    @Test
    void more_memory_is_asked_for() {
        Limits given = new Limits(null, null, 64L << 20, null, null, null, 128L << 20);
        assertThat(RemedyTest.texts(slow(9_000, 0.3), given))
                .containsExactly("users.memory 64m -> 256m");
    }

    /// An old kernel does not divide the refaults.
    @Test
    void a_cgroup_without_this_counter_lacks_readings() {
        Recorded old =
                Recorded.healthy().level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 << 20);
        assertThat(NotNamed.because(old.diagnosed(), WallId.SWAP))
                .isEqualTo("unknown: " + Missing.READINGS.reason());
    }
}
