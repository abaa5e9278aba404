package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.ProcessFigure;

class MemoryLimitTest {
    private static final String WALL = "memory-limit";
    private static final double MB = 1 << 20;

    private static Recorded used(double kills, double... megabytes) {
        Recorded recorded = Recorded.healthy();
        double[] bytes = new double[megabytes.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = megabytes[i] * MB;
        }
        return recorded.grows(CgroupFigure.OOM_KILLS.of("users"), End.SERVER, kills)
                .put(CgroupFigure.MEMORY.of("users"), End.SERVER, bytes)
                .put(CgroupFigure.MEMORY_ANONYMOUS.of("users"), End.SERVER, 10 * MB, 55 * MB, 0)
                .level(CgroupFigure.MEMORY_FILE.of("users"), End.SERVER, 5 * MB)
                .level(CgroupFigure.MEMORY_KERNEL.of("users"), End.SERVER, 3 * MB)
                .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, 64 * MB);
    }

    @Test
    void a_kill_under_load_is_named_with_what_used_the_memory() {
        Diagnosis diagnosis = used(1, 20, 63, 2).error("connect-refused", 9_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence().get(1).says())
                .isEqualTo(
                        "it was seen with 63 MB of its 64 MB: 55 MB of the programs' own,"
                                + " 5 MB of files, 3 MB of the kernel's");
    }

    /// A service that is gone when the measurement begins cannot be killed again.
    @Test
    void a_kill_before_the_measurement_counts_while_the_service_is_gone() {
        Recorded killed =
                used(0, 0, 0, 0)
                        .error("connect-refused", 9_000)
                        .level(CgroupFigure.OOM_KILLS.of("users"), End.SERVER, 1);
        assertThat(killed.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        killed.level(ProcessFigure.CPU.of("users"), End.SERVER, Double.NaN);
        assertThat(killed.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_worker_that_was_killed_and_replaced_unnoticed_is_only_near() {
        Diagnosis diagnosis = used(1, 20, 63, 20).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void memory_that_is_used_to_its_limit_without_a_kill_is_not_the_wall() {
        Diagnosis diagnosis = used(0, 20, 64, 64).error("connect-refused", 9_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out -> assertThat(out.because()).contains("64 MB of its 64 MB"));
    }

    /// The service that comes nearest to its limit.
    @Test
    void without_a_kill_the_fullest_service_is_described() {
        Recorded two =
                used(0, 20, 30, 30)
                        .grows(CgroupFigure.OOM_KILLS.of("db"), End.SERVER, 0)
                        .level(CgroupFigure.MEMORY.of("db"), End.SERVER, 400 * MB)
                        .level(CgroupFigure.MEMORY_LIMIT.of("db"), End.SERVER, 1_024 * MB)
                        .grows(CgroupFigure.OOM_KILLS.of("cache"), End.SERVER, 0)
                        .level(CgroupFigure.MEMORY.of("cache"), End.SERVER, 900 * MB)
                        .level(CgroupFigure.MEMORY_LIMIT.of("cache"), End.SERVER, Double.NaN);
        assertThat(because(two))
                .isEqualTo("nothing was killed for memory: users used 30 MB of its 64 MB");
        two.level(CgroupFigure.MEMORY.of("db"), End.SERVER, 900 * MB);
        assertThat(because(two))
                .isEqualTo("nothing was killed for memory: db used 900 MB of its 1024 MB");
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.MEMORY_LIMIT);
    }

    /// The kernel counts it among the pages of files.
    @Test
    void shared_memory_is_the_programs_own() {
        Recorded shared =
                used(1, 20, 63, 2)
                        .level(CgroupFigure.MEMORY_FILE.of("users"), End.SERVER, 7 * MB)
                        .level(CgroupFigure.MEMORY_SHARED.of("users"), End.SERVER, 4 * MB)
                        .error("connect-refused", 9_000);
        assertThat(says(shared.diagnosed()).get(1))
                .endsWith("59 MB of the programs' own, 3 MB of files, 3 MB of the kernel's");
        shared.level(CgroupFigure.MEMORY_KERNEL.of("users"), End.SERVER, Double.NaN);
        assertThat(says(shared.diagnosed()).get(1)).endsWith("an unknown part of the kernel's");
    }

    /// The kernel's counter is the same.
    @Test
    void without_a_limit_the_host_ran_out_of_memory() {
        Recorded killed =
                used(1, 20, 63, 2)
                        .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, Double.NaN)
                        .error("connect-refused", 9_000);
        Diagnosis diagnosis = killed.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(says(diagnosis))
                .containsExactly(
                        "the kernel killed 1 of the processes of users for memory",
                        "no memory limit applies to users: the host ran out of memory");
        assertThat(diagnosis.headline().evidence().get(1).name()).isEqualTo("cgroup[users].memory");
        assertThat(new MemoryLimit().advice(diagnosis.headline(), killed.observation()))
                .extracting(Advice::command)
                .noneMatch(text -> text.startsWith("raise"))
                .anyMatch(text -> text.startsWith("more memory for the host"));
    }

    /// A pod has no limit, because one of its containers has none. The other one was killed at its
    /// own.
    @Test
    void a_container_at_its_own_limit_is_not_the_host() {
        Recorded killed =
                used(1, 20, 63, 2)
                        .level(CgroupFigure.MEMORY_LIMIT.of("users"), End.SERVER, Double.NaN)
                        .grows(CgroupFigure.LIMIT_HITS.of("users"), End.SERVER, 12)
                        .error("connect-refused", 9_000);
        Diagnosis diagnosis = killed.diagnosed();
        assertThat(says(diagnosis))
                .containsExactly(
                        "the kernel killed 1 of the processes of users for memory",
                        "users reached a memory limit inside its cgroup 12 times");
        assertThat(new MemoryLimit().advice(diagnosis.headline(), killed.observation()))
                .extracting(Advice::command)
                .anyMatch(text -> text.startsWith("raise memory.max"));
    }

    private static List<String> says(Diagnosis diagnosis) {
        return diagnosis.headline().evidence().stream().map(Evidence::says).toList();
    }

    @Test
    void a_limit_that_was_not_reached_may_not_be_the_cause() {
        String host =
                "it was far below its limit: another group with the same limit, or the host, may have run out of memory (journalctl -k says which)";
        Recorded low = used(1, 20, 30, 2).error("connect-refused", 9_000);
        assertThat(says(low.diagnosed())).contains(host);
        Recorded high = used(1, 20, 63, 2).error("connect-refused", 9_000);
        assertThat(says(high.diagnosed())).doesNotContain(host);
        low.grows(CgroupFigure.LIMIT_HITS.of("users"), End.SERVER, 3);
        assertThat(says(low.diagnosed())).doesNotContain(host);
    }

    @Test
    void more_memory_is_asked_for_within_what_the_host_has() {
        Recorded stopped = used(1, 20, 63, 2).error("connect-refused", 9_000);
        Limits given = new Limits(null, null, 64L << 20, null, null, null, null);
        assertThat(RemedyTest.texts(stopped, given)).containsExactly("users.memory 64m -> 256m");
        stopped.most(new Limits(null, null, 100L << 20, null, null, null, null));
        assertThat(RemedyTest.texts(stopped, given)).containsExactly("users.memory 64m -> 100m");
    }
}
