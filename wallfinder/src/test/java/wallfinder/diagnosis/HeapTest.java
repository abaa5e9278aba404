package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;

/// Recorded observations of JVMs whose heaps are more or less full.
class HeapTest {
    private static final String WALL = "heap";
    private static final double MB = 1 << 20;

    private static Recorded full(double megabytesLeast) {
        return GcTest.collecting(0.98, 0.95, 0.9, 120)
                .grows(JvmFigure.FULL_COLLECTIONS.of("users"), End.SERVER, 80)
                .grows(JvmFigure.FULL_PAUSE_SECONDS.of("users"), End.SERVER, 8.5)
                .put(
                        JvmFigure.HEAP_USED.of("users"),
                        End.SERVER,
                        10 * MB,
                        megabytesLeast * MB,
                        96 * MB)
                .responseMillis(600, 1_000);
    }

    private static Recorded errors(double count) {
        return GcTest.collecting(0.5, 0.2, 0.1, 20)
                .grows(LogFigure.HEAP_ERRORS.of("users"), End.SERVER, count);
    }

    @Test
    void an_allocation_that_failed_under_load_is_named() {
        Diagnosis diagnosis = errors(7).error("closed", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo("users wrote OutOfMemoryError for its heap 7 times");
    }

    @Test
    void an_allocation_that_failed_unnoticed_is_only_near() {
        Diagnosis diagnosis = errors(1).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// Errors of an earlier load count only for a service that is gone.
    @Test
    void an_old_error_counts_while_the_service_is_gone() {
        Recorded recorded =
                errors(0)
                        .level(LogFigure.HEAP_ERRORS.of("users"), End.SERVER, 3)
                        .error("connect-refused", 9_000);
        assertThat(recorded.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        recorded.level(ProcessFigure.CPU.of("users"), End.SERVER, Double.NaN);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    /// The service's workers ended before the measurement began, so it neither logs nor answers
    /// anything.
    @Test
    void an_old_error_counts_while_connections_stay_without_an_answer() {
        Recorded recorded =
                errors(0).level(LogFigure.HEAP_ERRORS.of("users"), End.SERVER, 97).unanswered(48);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo(
                        "users wrote OutOfMemoryError for its heap 97 times before the measurement began, and never answers what it had then");
    }

    @Test
    void a_collector_that_frees_nothing_is_heap_and_not_gc() {
        Diagnosis diagnosis = full(80).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain("gc");
    }

    @Test
    void a_collector_that_frees_memory_is_gc_and_not_heap() {
        Diagnosis diagnosis = full(60).diagnosed();
        assertThat(diagnosis.wallId()).contains("gc");
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
    }

    @Test
    void a_full_heap_that_costs_little_is_not_the_wall() {
        Recorded recorded =
                full(90).grows(JvmFigure.PAUSE_SECONDS.of("users"), End.SERVER, 1)
                        .grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 1);
        assertThat(recorded.diagnosed().wallId()).contains("cpu");
    }

    @Test
    void a_kill_by_the_kernel_is_the_memory_limit() {
        Diagnosis diagnosis =
                GcTest.collecting(0.5, 0.2, 0.1, 20)
                        .grows(CgroupFigure.OOM_KILLS.of("users"), End.SERVER, 1)
                        .grows(LogFigure.HEAP_ERRORS.of("users"), End.SERVER, 0)
                        .error("connect-refused", 9_000)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("memory-limit");
    }

    /// A service that catches the error and answers with a failure.
    ///
    /// @param full the full collections among 300
    /// @param oldMegabytes of 64 in the old generation
    private static Recorded catching(double full, double oldMegabytes, long failures) {
        return GcTest.collecting(0.5, 0.7, 0.3, 20)
                .grows(JvmFigure.PAUSES.of("users"), End.SERVER, 300)
                .grows(JvmFigure.FULL_COLLECTIONS.of("users"), End.SERVER, full)
                .grows(JvmFigure.FULL_PAUSE_SECONDS.of("users"), End.SERVER, 2.9)
                .level(JvmFigure.OLD_MAX.of("users"), End.SERVER, 64 * MB)
                .level(JvmFigure.OLD_USED.of("users"), End.SERVER, oldMegabytes * MB)
                .put(JvmFigure.HEAP_USED.of("users"), End.SERVER, 10 * MB, 84 * MB, 62 * MB)
                .level(JvmFigure.REQUESTED.of("users"), End.SERVER, 0)
                .grows(LogFigure.HEAP_ERRORS.of("users"), End.SERVER, 0)
                .bad(500, 16, failures);
    }

    @Test
    void allocations_that_a_program_catches_are_seen_in_its_collections() {
        Diagnosis diagnosis = catching(280, 61, 130).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .startsWith(
                        "280 of 300 collections of users were full ones, and requests failed",
                        "collections left 61 MB in an old generation of 64 MB");
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain("gc");
    }

    /// Nobody can connect. While the JVM lives, that is no failed allocation.
    @Test
    void a_jvm_that_ends_without_a_word_is_named() {
        Recorded recorded = catching(280, 61, 0).error("connect-refused", 9_000);
        assertNotNamed(recorded);
        for (JvmFigure figure :
                new JvmFigure[] {JvmFigure.COLLECTOR_CPU, JvmFigure.FULL_COLLECTIONS}) {
            recorded.put(figure.of("users"), End.SERVER, 0, 280, Double.NaN);
        }
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    /// A cache that fills the heap and leaves room for the requests.
    @Test
    void a_full_old_generation_that_is_seldom_collected_is_not_the_wall() {
        assertNotNamed(catching(60, 61, 50));
        assertThat(catching(160, 61, 50).diagnosed().wallId()).contains(WALL);
    }

    /// A request for an object that is larger than the rest of the heap would fill the heap.
    @Test
    void a_full_old_generation_in_a_heap_that_never_gets_full_is_not_the_wall() {
        assertNotNamed(
                catching(280, 61, 130)
                        .put(
                                JvmFigure.HEAP_USED.of("users"),
                                End.SERVER,
                                10 * MB,
                                75 * MB,
                                62 * MB));
    }

    /// A program may request one collection, and its start may cause another one.
    @ParameterizedTest
    @CsvSource({"2, false", "3, true"})
    void three_full_collections_are_enough(int full, boolean named) {
        Recorded catching = catching(full, 61, full).responseMillis(16, 1_000);
        catching.grows(JvmFigure.PAUSES.of("users"), End.SERVER, 4);
        assertThat(catching.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
        Recorded inVain = full(80).grows(JvmFigure.FULL_COLLECTIONS.of("users"), End.SERVER, full);
        assertThat(inVain.diagnosed().wallId().equals(Optional.of(WALL))).isEqualTo(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"closed", "reset", "tls-truncated"})
    void connections_that_end_with_their_thread_show_failed_allocations_too(String kind) {
        assertThat(catching(280, 61, 0).error(kind, 280).diagnosed().wallId()).contains(WALL);
        assertNotNamed(catching(280, 61, 0).error(kind, 281));
        assertNotNamed(catching(280, 61, 150).error(kind, 150));
    }

    @Test
    void full_collections_that_free_the_old_generation_are_not_the_wall() {
        assertNotNamed(catching(280, 40, 130));
    }

    /// The service fails for another reason.
    @Test
    void more_failures_than_full_collections_are_not_the_wall() {
        assertNotNamed(catching(280, 61, 900));
    }

    /// The memory of direct buffers is used up, so the JVM calls `System.gc()` before each failure.
    @Test
    void full_collections_that_no_allocation_in_the_heap_caused_are_not_the_wall() {
        assertNotNamed(
                catching(280, 61, 130).level(JvmFigure.REQUESTED.of("users"), End.SERVER, 1));
    }

    /// As [#allocations_that_a_program_catches_are_seen_in_its_collections], without failures.
    @Test
    void a_full_heap_in_which_every_request_succeeds_is_not_the_wall() {
        assertNotNamed(catching(280, 61, 0));
    }

    private static void assertNotNamed(Recorded recorded) {
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.also()).extracting(b -> b.wall().id().word()).doesNotContain(WALL);
    }

    /// One JVM fails allocations; the heap of the other one is full.
    @Test
    void the_figures_of_two_jvms_are_not_mixed() {
        Recorded recorded = catching(280, 61, 130);
        jvm(recorded, 1, 280, 40);
        jvm(recorded, 2, 0, 61);
        assertNotNamed(recorded);
        jvm(recorded, 2, 200, 61);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .allSatisfy(one -> assertThat(one.counter().text()).startsWith("jvm[users#2]."));
    }

    private static void jvm(Recorded recorded, int number, double full, double oldMegabytes) {
        String subject = JvmFigure.subject("users", number);
        recorded.level(JvmFigure.PID.of(subject), End.SERVER, 1_000 + number)
                .grows(JvmFigure.COLLECTOR_CPU.of(subject), End.SERVER, 1)
                .grows(JvmFigure.PROCESS_CPU.of(subject), End.SERVER, 2)
                .grows(JvmFigure.PAUSE_SECONDS.of(subject), End.SERVER, 1)
                .grows(JvmFigure.PAUSES.of(subject), End.SERVER, 300)
                .grows(JvmFigure.FULL_COLLECTIONS.of(subject), End.SERVER, full)
                .level(JvmFigure.HEAP_MAX.of(subject), End.SERVER, 96 * MB)
                .level(JvmFigure.HEAP_USED.of(subject), End.SERVER, (oldMegabytes + 22) * MB)
                .level(JvmFigure.OLD_MAX.of(subject), End.SERVER, 64 * MB)
                .level(JvmFigure.OLD_USED.of(subject), End.SERVER, oldMegabytes * MB)
                .level(JvmFigure.REQUESTED.of(subject), End.SERVER, 0);
    }

    /// A service beside another one. Its collector works in vain.
    private static Recorded inVain(Recorded recorded, String service, double stoppedShare) {
        double cpu = 0.45 * Recorded.SECONDS;
        double stopped = stoppedShare * Recorded.SECONDS;
        return recorded.grows(ProcessFigure.CPU.of(service), End.SERVER, cpu)
                .grows(JvmFigure.COLLECTOR_CPU.of(service), End.SERVER, 0.9 * cpu)
                .grows(JvmFigure.PAUSE_SECONDS.of(service), End.SERVER, stopped)
                .grows(JvmFigure.FULL_PAUSE_SECONDS.of(service), End.SERVER, stopped)
                .grows(JvmFigure.PAUSES.of(service), End.SERVER, 100)
                .grows(JvmFigure.FULL_COLLECTIONS.of(service), End.SERVER, 80)
                .level(JvmFigure.HEAP_MAX.of(service), End.SERVER, 96 * MB)
                .level(JvmFigure.HEAP_USED.of(service), End.SERVER, 90 * MB);
    }

    private static void assertShowsTheJvm(String subject, Diagnosis diagnosis) {
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(one -> one.counter().text())
                .filteredOn(counter -> counter.startsWith("jvm["))
                .isNotEmpty()
                .allSatisfy(counter -> assertThat(counter).startsWith("jvm[" + subject + "]."));
    }

    @Test
    void the_evidence_shows_the_heap_of_the_service_that_logged_errors() {
        Recorded recorded = errors(7).error("closed", 900);
        assertShowsTheJvm("users", inVain(recorded, "index", 0.9).diagnosed());
    }

    @Test
    void of_two_full_heaps_that_of_the_service_that_logged_errors_is_shown() {
        Recorded recorded = errors(7).error("closed", 900);
        Diagnosis diagnosis = inVain(inVain(recorded, "users", 0.7), "index", 0.95).diagnosed();
        assertShowsTheJvm("users", diagnosis);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "collections had stopped the world for 70 % of the time, full ones for 7.0 s");
    }

    @Test
    void of_the_jvms_of_a_service_that_logged_errors_the_fullest_is_shown() {
        Recorded recorded = errors(7).error("closed", 900);
        jvm(recorded, 1, 0, 20);
        jvm(recorded, 2, 0, 40);
        assertShowsTheJvm("users#2", recorded.diagnosed());
    }

    /// An earlier load made the other service log errors.
    @Test
    void the_remedy_is_a_larger_heap_for_the_service_that_was_named() {
        Recorded recorded =
                inVain(Recorded.healthy().responseMillis(600, 1_000), "users", 0.9)
                        .grows(ProcessFigure.CPU.of("index"), End.SERVER, 1)
                        .level(LogFigure.HEAP_ERRORS.of("index"), End.SERVER, 3);
        assertShowsTheJvm("users", recorded.diagnosed());
        assertThat(
                        JvmRemediesTest.texts(
                                recorded,
                                JvmRemediesTest.service("index", "java -Xmx64m Index"),
                                JvmRemediesTest.service("users", "java -Xmx96m Users")))
                .containsExactly("users.heap -Xmx96m -> -Xmx384m");
    }

    @Test
    void a_collector_that_works_in_vain_without_harm_is_only_near() {
        Diagnosis diagnosis = full(80).responseMillis(16, 40_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .filteredOn(caveat -> caveat.id().equals("near:" + WALL))
                .singleElement()
                .extracting(Caveat::advice)
                .asString()
                .contains("users filled its heap, without harm to this load");
    }

    @Test
    void a_level_that_could_not_be_read_for_a_moment_is_passed_over() {
        Recorded recorded =
                full(80).put(
                                JvmFigure.HEAP_USED.of("users"),
                                End.SERVER,
                                90 * MB,
                                Double.NaN,
                                90 * MB);
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_heap_that_was_not_read_is_not_described() {
        Recorded recorded =
                Recorded.healthy().grows(JvmFigure.COLLECTOR_CPU.of("users"), End.SERVER, 1);
        assertThat(because(recorded)).isEqualTo("no allocation failed, as far as was seen");
    }

    /// ZGC counts no full collections.
    @Test
    void a_jvm_that_counts_no_full_collections_stays_unknown_if_requests_fail() {
        Recorded recorded = GcTest.collecting(0.5, 0.2, 0.1, 20);
        assertThat(because(recorded)).startsWith("no allocation failed, as far as was seen");
        assertThat(because(recorded.bad(500, 16, 900)))
                .isEqualTo("unknown: a JVM did not count its full collections");
        recorded.grows(JvmFigure.FULL_COLLECTIONS.of("users"), End.SERVER, 0);
        assertThat(because(recorded))
                .isEqualTo(
                        "no allocation failed, as far as was seen: users held 40 MB after a collection, of a heap of 96 MB");
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.HEAP);
    }
}
