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
import wallfinder.observation.ListenFigure;
import wallfinder.observation.WaitFigure;

class PageCacheTest {
    private static final String WALL = "page-cache";
    private static final double MB = 1 << 20;

    /// The service answered 2,460 requests, each slower than a single request without load.
    private static Recorded slow(double refaults) {
        return Recorded.healthy()
                .unloadedMillis(15.9)
                .responseMillis(240, 2_460)
                .cpuShare(0.1)
                .grows(CgroupFigure.REFAULTS.of("users"), End.SERVER, refaults)
                .grows(CgroupFigure.MAJOR_FAULTS.of("users"), End.SERVER, 9_000)
                .level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 * MB)
                .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, 64 * MB);
    }

    @Test
    void refaults_for_every_answer_are_page_cache_and_not_concurrency() {
        Diagnosis diagnosis = slow(9_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly(
                        "cgroup[users].refaults",
                        "cgroup[users].majorFaults",
                        "cgroup[users].memory");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void one_page_for_two_answers_does_not_explain_the_wait() {
        Diagnosis diagnosis = slow(1_230).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void the_evidence_says_what_an_answer_met_and_requests_that_fail_are_errors() {
        Recorded failing = slow(9_000).bad(500, 240, 540);
        assertThat(failing.diagnosed().wallId()).contains(WALL);
        assertThat(failing.diagnosed().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(failing.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .satisfiesExactly(
                        first -> assertThat(first).endsWith(", 3.0 for each answer"),
                        second ->
                                assertThat(second)
                                        .isEqualTo("users waited 9000 times for a page to be read"),
                        third -> assertThat(third).startsWith("it was seen with 64 MB"));
    }

    /// A hundred pages a second.
    @ParameterizedTest
    @CsvSource({"990, false", "1010, true"})
    void under_a_load_command_the_rate_of_pages_decides(double refaults, boolean named) {
        Recorded command = slow(refaults).commandWithAnswers(0);
        assertThat(command.diagnosed().wallId().isPresent()).isEqualTo(named);
        if (named) {
            assertThat(command.diagnosed().headline().evidence().getFirst().says())
                    .doesNotContain("for each answer");
        }
    }

    @ParameterizedTest
    @CsvSource({"70, true", "72, false"})
    void a_cgroup_is_full_at_nine_tenths_of_its_limit(double limitMegabytes, boolean named) {
        Recorded used =
                slow(9_000)
                        .level(
                                CgroupFigure.MEMORY_LIMIT.of("users"),
                                End.SERVER,
                                limitMegabytes * MB);
        assertThat(used.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    /// The limit is that of a container in the pod.
    @Test
    void a_cgroup_that_reached_a_limit_inside_it_is_full() {
        Recorded pod =
                slow(9_000)
                        .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, Double.NaN)
                        .grows(CgroupFigure.LIMIT_HITS.of("users"), End.SERVER, 40);
        assertThat(pod.diagnosed().wallId()).contains(WALL);
        pod.grows(CgroupFigure.LIMIT_HITS.of("users"), End.SERVER, 0);
        assertThat(NotNamed.because(pod.diagnosed(), WallId.PAGE_CACHE))
                .contains("its memory was not full");
    }

    @Test
    void as_many_pages_from_swap_are_no_page_cache() {
        Recorded swapping =
                slow(9_000).grows(CgroupFigure.SWAP_REFAULTS.of("users"), End.SERVER, 9_000);
        assertThat(NotNamed.because(swapping.diagnosed(), WallId.PAGE_CACHE))
                .endsWith("but 9000 pages came back from swap");
        swapping.grows(CgroupFigure.SWAP_REFAULTS.of("users"), End.SERVER, 8_900);
        assertThat(swapping.diagnosed().wallId()).contains(WALL);
    }

    /// The kernel reads ahead, so an answer may meet many refaults and hardly wait. The service
    /// sleeps in most of the time.
    @Test
    void pages_that_hardly_anybody_waits_for_are_no_wall() {
        assertThat(waited(0.02).diagnosed().wallId()).contains("server-concurrency");
        assertThat(waited(2).diagnosed().wallId()).contains(WALL);
        assertThat(waited(0.02).cpuShare(0.99).diagnosed().ruledOut())
                .noneMatch(out -> out.wall().id().word().equals(WALL));
    }

    private static Recorded waited(double threads) {
        return slow(9_000)
                .level(ListenFigure.UNREAD.of(8080), End.SERVER, 50)
                .level(WaitFigure.SLEEP.of("users"), End.SERVER, 3)
                .level(WaitFigure.PAGE.of("users"), End.SERVER, threads / 2)
                .level(WaitFigure.DISK.of("users"), End.SERVER, threads / 2);
    }

    /// Only major faults: the files are read for the first time.
    @Test
    void pages_that_are_read_for_the_first_time_are_no_wall() {
        assertThat(slow(0).diagnosed().wallId()).contains("server-concurrency");
    }

    @Test
    void pages_that_the_host_evicted_are_no_wall_of_a_service_with_room_left() {
        Recorded roomy =
                slow(9_000).level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, 128 * MB);
        assertThat(roomy.diagnosed().wallId()).contains("server-concurrency");
        Recorded unlimited =
                slow(9_000).level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, Double.NaN);
        assertThat(unlimited.diagnosed().wallId()).contains("server-concurrency");
    }

    @Test
    void a_full_service_is_named_although_an_unlimited_one_has_more_refaults() {
        Recorded two =
                slow(9_000)
                        .grows(CgroupFigure.REFAULTS.of("db"), End.SERVER, 100_000)
                        .level(CgroupFigure.MEMORY.of("db"), End.SERVER, 640 * MB);
        assertThat(two.diagnosed().wallId()).contains(WALL);
        assertThat(two.diagnosed().headline().evidence().getFirst().name())
                .isEqualTo("cgroup[users].refaults");
    }

    @Test
    void a_load_as_fast_as_a_single_request_is_only_near() {
        Diagnosis diagnosis = slow(90_000).responseMillis(16, 40_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void more_memory_is_asked_for() {
        assertThat(
                        RemedyTest.texts(
                                slow(9_000),
                                new Limits(null, null, 64L << 20, null, null, null, null)))
                .containsExactly("users.memory 64m -> 256m");
    }

    /// An old kernel does not divide the refaults.
    @Test
    void a_cgroup_without_this_counter_lacks_readings() {
        Recorded old =
                Recorded.healthy().level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 << 20);
        assertThat(NotNamed.because(old.diagnosed(), WallId.PAGE_CACHE))
                .isEqualTo("unknown: " + Missing.READINGS.reason());
    }
}
