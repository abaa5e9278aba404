package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;

class CpuQuotaTest {
    /// In ten seconds of 100 periods, with slow answers.
    ///
    /// @param seconds for which it was stopped
    private static Recorded throttled(double cpus, double quota, double periods, double seconds) {
        return Recorded.healthy()
                .responseMillis(86, 7_000)
                .cpuShare(cpus)
                .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 100)
                .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, periods)
                .grows(CgroupFigure.THROTTLED_SECONDS.of("users"), End.SERVER, seconds)
                .level(CgroupFigure.CPU_QUOTA.of("users"), End.SERVER, quota);
    }

    @Test
    void a_throttled_cgroup_is_cpu_quota_and_not_cpu() {
        Diagnosis diagnosis = throttled(0.2, 0.2, 98, 7.5).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-quota");
        assertThat(diagnosis.headline().evidence()).extracting(Evidence::limit).contains(0.2);
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void a_few_throttled_periods_are_only_near() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 100)
                        .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 3)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu-quota");
    }

    /// Bursts touch the quota and are stopped for 20 ms each. Without it, the service could answer
    /// 3 % more.
    @Test
    void a_quota_that_stops_a_service_for_a_small_part_of_the_time_is_only_near() {
        Diagnosis diagnosis = throttled(0.25, 0.5, 15, 0.3).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu-quota");
    }

    /// The compilers of a cold JVM fill it in the first two seconds; all answers are slow.
    @Test
    void a_quota_that_was_reached_in_the_first_seconds_is_only_near() {
        Diagnosis diagnosis =
                Recorded.healthy()
                        .everySecond()
                        .responseMillis(640, 1_000)
                        .cpuShare(0.2)
                        .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 100)
                        .put(
                                CgroupFigure.THROTTLED_PERIODS.of("users"),
                                End.SERVER,
                                0,
                                10,
                                20,
                                20,
                                20,
                                20,
                                20,
                                20,
                                20,
                                20,
                                20)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu-quota");
    }

    /// The group of a container has no quota, and that of its pod has one.
    @Test
    void a_throttled_parent_of_the_cgroup_is_named() {
        String parent = "users in pod7";
        Diagnosis diagnosis =
                Recorded.healthy()
                        .responseMillis(86, 7_000)
                        .cpuShare(0.2)
                        .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 0)
                        .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 0)
                        .grows(CgroupFigure.PERIODS.of(parent), End.SERVER, 100)
                        .grows(CgroupFigure.THROTTLED_PERIODS.of(parent), End.SERVER, 98)
                        .level(CgroupFigure.CPU_QUOTA.of(parent), End.SERVER, 0.2)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-quota");
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo("users in pod7 was stopped by its quota in 98 of 100 periods");
    }

    /// In a container, a group without the `cpu` controller.
    @Test
    void a_cgroup_whose_quota_is_not_visible_lacks_readings() {
        Recorded partly =
                Recorded.healthy().level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 << 20);
        assertThat(NotNamed.because(partly.diagnosed(), WallId.CPU_QUOTA))
                .isEqualTo("unknown: " + Missing.READINGS.reason());
        assertThat(NotNamed.because(Recorded.healthy().diagnosed(), WallId.CPU_QUOTA))
                .isEqualTo("unknown: " + Missing.CGROUP.reason());
    }

    /// A service whose cgroup is not visible, with a thread that has work all the time, on one CPU.
    ///
    /// @param busy how much of the time the CPU is
    private static Recorded unread(double wanted, double busy) {
        return Recorded.healthy()
                .responseMillis(86, 7_000)
                .cpuShare(0.3)
                .busiestThreadShare(0.3)
                .busiestWantedShare(wanted)
                .level(EndFigure.CPUS_COUNT, End.SERVER, 1)
                .grows(EndFigure.CPUS_COUNTED, End.SERVER, 10)
                .grows(EndFigure.CPUS_BUSY, End.SERVER, 10 * busy);
    }

    @Test
    void a_thread_that_wants_a_cpu_longer_than_its_cpus_are_busy_is_stopped_by_a_quota() {
        Diagnosis diagnosis = unread(0.98, 0.35).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-quota");
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "a thread of users ran or was ready to run for 9.80 s of 10.00 s",
                        "all CPUs that it may use were busy for at most 3.50 s together: users was stopped for at least 6.30 s of 10.00 s although a CPU was free, as a CPU quota does");
    }

    /// A pod whose log shipper is always stopped by its own small quota.
    ///
    /// @param cpus that the whole pod uses
    private static Recorded besideShipper(double cpus) {
        String shipper = "shipper of users";
        return Recorded.healthy()
                .responseMillis(86, 7_000)
                .cpuShare(cpus)
                .grows(CgroupFigure.PERIODS.of("users"), End.SERVER, 0)
                .grows(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, 0)
                .grows(CgroupFigure.PERIODS.of(shipper), End.SERVER, 100)
                .grows(CgroupFigure.THROTTLED_PERIODS.of(shipper), End.SERVER, 60)
                .grows(CgroupFigure.THROTTLED_SECONDS.of(shipper), End.SERVER, 3)
                .level(CgroupFigure.CPU_QUOTA.of(shipper), End.SERVER, 0.05);
    }

    @Test
    void a_container_that_does_little_of_the_work_is_only_near() {
        Diagnosis diagnosis = besideShipper(0.2).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.caveats())
                .filteredOn(caveat -> caveat.id().equals("near:cpu-quota"))
                .singleElement()
                .extracting(Caveat::advice)
                .asString()
                .contains("shipper of users was throttled in 60 % of the periods")
                .endsWith("but it did less than half of the work");
        assertThat(besideShipper(0.95).diagnosed().wallId()).contains("cpu");
    }

    @Test
    void a_container_that_does_most_of_the_work_is_named() {
        Diagnosis diagnosis = besideShipper(0.055).diagnosed();
        assertThat(diagnosis.wallId()).contains("cpu-quota");
        assertThat(diagnosis.headline().evidence().getFirst().says())
                .isEqualTo("shipper of users was stopped by its quota in 60 of 100 periods");
    }

    @Test
    void a_thread_that_waits_for_busy_cpus_is_not_stopped_by_a_quota() {
        assertThat(unread(0.98, 0.9).diagnosed().wallId()).isNotEqualTo(Optional.of("cpu-quota"));
    }

    /// An idle virtual CPU takes a while to wake up for each of many short requests.
    @Test
    void a_thread_that_waits_for_its_cpu_to_wake_up_is_not_stopped_by_a_quota() {
        assertThat(unread(0.6, 0.35).diagnosed().wallId()).isNotEqualTo(Optional.of("cpu-quota"));
        assertThat(unread(0.7, 0.35).diagnosed().wallId()).contains("cpu-quota");
    }

    @Test
    void a_quota_is_not_inferred_if_the_cgroup_was_read() {
        Recorded read = unread(0.98, 0.35).level(CgroupFigure.TASKS.of("users"), End.SERVER, 30);
        assertThat(NotNamed.because(read.diagnosed(), WallId.CPU_QUOTA))
                .isEqualTo("unknown: " + Missing.READINGS.reason());
    }

    /// The generator never waits for an answer, so the latencies are its own.
    @Test
    void an_inferred_quota_is_unknown_in_an_invalid_run() {
        Diagnosis diagnosis = unread(0.98, 0.35).connections(512).idleShare(0.01).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(NotNamed.because(diagnosis, WallId.CPU_QUOTA)).startsWith("unknown");
    }

    /// The kernel has lost ticks, so it counted less busy time than there was.
    @Test
    void what_the_kernel_did_not_count_is_no_quota() {
        Recorded lost = unread(0.98, 0.35).grows(EndFigure.CPUS_COUNTED, End.SERVER, 4);
        assertThat(lost.diagnosed().wallId()).isNotEqualTo(Optional.of("cpu-quota"));
    }

    @Test
    void a_stopped_thread_is_only_near_if_nobody_waits_for_it() {
        Diagnosis diagnosis = unread(0.98, 0.35).responseMillis(12, 7_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:cpu-quota");
    }
}
