package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LogFigure;
import wallfinder.observation.ProcessFigure;

class ThreadLimitTest {
    private static final String WALL = "thread-limit";

    private static Recorded refused(double times) {
        return Recorded.healthy()
                .connections(48)
                .grows(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, times)
                .level(CgroupFigure.TASKS.of("users"), End.SERVER, 30)
                .level(CgroupFigure.TASK_LIMIT.of("users"), End.SERVER, 30);
    }

    @Test
    void refused_threads_are_named_if_requests_fail() {
        Diagnosis diagnosis = refused(900).error("closed", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("cgroup[users].forksRefused", "cgroup[users].tasks");
    }

    @Test
    void refused_threads_that_nobody_missed_are_only_near() {
        Diagnosis diagnosis = refused(3).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// One thread of another part of the service was refused, and the group had room again.
    @Test
    void a_refusal_does_not_explain_a_service_that_is_slow_for_all_of_the_time() {
        Recorded slow =
                refused(1)
                        .everySecond()
                        .put(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, REFUSED_ONCE)
                        .level(CgroupFigure.TASKS.of("users"), End.SERVER, 20)
                        .responseMillis(150, 4_000);
        assertThat(slow.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(slow.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
        slow.level(CgroupFigure.TASKS.of("users"), End.SERVER, 30);
        assertThat(slow.diagnosed().wallId()).contains(WALL);
    }

    private static final double[] REFUSED_ONCE = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};

    @Test
    void requests_that_failed_before_the_first_refusal_are_not_its_effect() {
        Recorded failed =
                refused(1)
                        .everySecond()
                        .put(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, REFUSED_ONCE)
                        .put(
                                LoadFigure.ERRORS,
                                End.CLIENT,
                                0,
                                0,
                                900,
                                900,
                                900,
                                900,
                                900,
                                900,
                                900,
                                900,
                                900)
                        .error("closed", 900);
        assertThat(failed.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        failed.put(LoadFigure.ERRORS, End.CLIENT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 300, 900);
        assertThat(failed.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_full_group_without_a_refusal_is_not_the_wall() {
        Diagnosis diagnosis = refused(0).error("closed", 900).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out -> assertThat(out.because()).contains("users had 30 of its 30"));
    }

    @Test
    void refusals_from_before_the_run_are_not_this_loads() {
        Diagnosis diagnosis =
                refused(0)
                        .put(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, 900, 900, 900)
                        .error("closed", 900)
                        .diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    private static Recorded user(double tasks, double limit) {
        return Recorded.healthy()
                .connections(48)
                .level(ProcessFigure.USER_TASKS.of("users"), End.SERVER, tasks)
                .level(ProcessFigure.USER_TASK_LIMIT.of("users"), End.SERVER, limit);
    }

    @Test
    void a_user_with_all_his_tasks_is_named_if_requests_fail() {
        Diagnosis diagnosis = user(30, 30).error("closed", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("process[users].userTasks", "closed");
        assertThat(advice(diagnosis)).anyMatch(text -> text.contains("LimitNPROC"));
        assertThat(user(30, 30).unanswered(18).diagnosed().wallId()).contains(WALL);
    }

    private static List<String> advice(Diagnosis diagnosis) {
        Judgement.Binds binds = diagnosis.headline();
        return binds.wall().advice(binds, Recorded.healthy().observation()).stream()
                .map(Advice::command)
                .toList();
    }

    @Test
    void a_user_with_a_task_left_is_not_named() {
        assertThat(user(29, 30).error("closed", 900).diagnosed().verdict())
                .isEqualTo(Verdict.UNNAMED);
    }

    /// A pool may have exactly as many threads as its user may have.
    @Test
    void a_user_with_all_his_tasks_whose_service_only_slows_down_needs_the_log_for_proof() {
        Recorded slow = user(30, 30).responseMillis(150, 4_000);
        assertThat(slow.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(slow.diagnosed().caveats()).extracting(Caveat::id).contains("near:" + WALL);
        Diagnosis diagnosis =
                slow.grows(LogFigure.THREAD_ERRORS.of("users"), End.SERVER, 12).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("process[users].userTasks", "log[users].threadErrors");
    }

    @Test
    void a_process_without_a_memory_map_left_is_named_if_requests_fail() {
        Recorded maps =
                Recorded.healthy()
                        .level(ProcessFigure.MAPS.of("users"), End.SERVER, 65_529)
                        .level(ProcessFigure.MAP_LIMIT.of("users"), End.SERVER, 65_530);
        Diagnosis diagnosis = maps.unanswered(18).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::name)
                .containsExactly("process[users].maps", "unanswered");
        assertThat(advice(diagnosis)).anyMatch(text -> text.contains("vm.max_map_count"));
        maps.level(ProcessFigure.MAPS.of("users"), End.SERVER, 60_000);
        assertThat(maps.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void without_a_cgroup_the_wall_is_unknown() {
        assertThat(Recorded.healthy().diagnosed().ruledOut())
                .filteredOn(out -> out.wall().id().word().equals(WALL))
                .singleElement()
                .satisfies(out -> assertThat(out.because()).startsWith("unknown"));
    }

    @Test
    void more_threads_are_asked_for_where_the_experiment_sets_the_limit() {
        Recorded stopped = refused(900).error("closed", 900);
        assertThat(RemedyTest.texts(stopped, new Limits(null, 30L, null, null, null, null, null)))
                .containsExactly("users.pids 30 -> 128");
        assertThat(RemedyTest.texts(stopped, Limits.NONE)).isEmpty();
    }
}
