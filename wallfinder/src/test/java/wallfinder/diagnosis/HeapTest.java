package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

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
}
