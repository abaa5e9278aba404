package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
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

    @Test
    void a_jvm_that_ends_without_a_word_is_named() {
        Recorded recorded = catching(280, 61, 1).error("connect-refused", 9_000);
        for (JvmFigure figure :
                new JvmFigure[] {JvmFigure.COLLECTOR_CPU, JvmFigure.FULL_COLLECTIONS}) {
            recorded.put(figure.of("users"), End.SERVER, 0, 280, Double.NaN);
        }
        assertThat(recorded.diagnosed().wallId()).contains(WALL);
    }

    /// A cache that fills the heap and leaves room for the requests.
    @Test
    void a_full_old_generation_that_is_seldom_collected_is_not_the_wall() {
        assertNotNamed(catching(20, 61, 15));
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

    /// ZGC counts no full collections.
    @Test
    void a_jvm_that_counts_no_full_collections_stays_unknown_if_requests_fail() {
        Recorded recorded = GcTest.collecting(0.5, 0.2, 0.1, 20);
        assertThat(because(recorded)).startsWith("no allocation failed, as far as was seen");
        assertThat(because(recorded.bad(500, 16, 900)))
                .isEqualTo("unknown: a JVM did not count its full collections");
    }

    private static String because(Recorded recorded) {
        return recorded.diagnosed().ruledOut().stream()
                .filter(out -> out.wall().id().word().equals(WALL))
                .map(Judgement.NotBinding::because)
                .findFirst()
                .orElseThrow();
    }
}
