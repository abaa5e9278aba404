package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
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

    @Test
    void a_cgroup_that_does_not_count_refusals_lacks_readings() {
        Recorded partly =
                Recorded.healthy().level(CgroupFigure.MEMORY.of("users"), End.SERVER, 64 << 20);
        assertThat(NotNamed.because(partly.diagnosed(), WallId.THREAD_LIMIT))
                .isEqualTo("unknown: " + Missing.READINGS.reason());
        assertThat(NotNamed.because(Recorded.healthy().diagnosed(), WallId.THREAD_LIMIT))
                .isEqualTo("unknown: " + Missing.CGROUP.reason());
    }

    /// Since Linux 6.11, the group with the limit counts what it refuses any group inside.
    @Test
    void refusals_of_a_shared_limit_are_named_only_if_the_log_shows_that_they_met_the_service() {
        Recorded shared =
                Recorded.healthy()
                        .connections(48)
                        .error("closed", 900)
                        .grows(CgroupFigure.FORKS_REFUSED.of("users"), End.SERVER, 0)
                        .grows(CgroupFigure.FORKS_REFUSED_ABOVE.of("users"), End.SERVER, 900)
                        .level(CgroupFigure.TASKS.of("users"), End.SERVER, 500)
                        .level(CgroupFigure.TASK_LIMIT.of("users"), End.SERVER, 500);
        Limits given = new Limits(null, 30L, null, null, null, null, null);
        assertThat(shared.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(shared))
                .isEqualTo(
                        "the limit that users shares with others refused a process or thread 900 times, and nothing shows that users was refused one");
        assertThat(WatchedJudgementTest.watched(shared).wallId()).isEmpty();
        shared.grows(LogFigure.THREAD_ERRORS.of("users"), End.SERVER, 12)
                .grows(CgroupFigure.FORKS_REFUSED_ABOVE.of("another"), End.SERVER, 900)
                .grows(CgroupFigure.FORKS_REFUSED_ABOVE.of("largest"), End.SERVER, 901);
        Diagnosis diagnosis = shared.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "the limit that users shares with others refused a process or thread 900 times",
                        "together they had 500 of the 500 that it allows",
                        "its log has 12 messages that a thread could not be started");
        assertThat(RemedyTest.texts(shared, given)).isEmpty();
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
        assertThat(NotNamed.because(diagnosis, WallId.THREAD_LIMIT))
                .contains("users had 30 of its 30");
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
        assertThat(because(Recorded.healthy())).startsWith("unknown");
    }

    @Test
    void more_threads_are_asked_for_where_the_experiment_sets_the_limit() {
        Recorded stopped = refused(900).error("closed", 900);
        assertThat(RemedyTest.texts(stopped, new Limits(null, 30L, null, null, null, null, null)))
                .containsExactly("users.pids 30 -> 128");
        assertThat(RemedyTest.texts(stopped, Limits.NONE)).isEmpty();
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.THREAD_LIMIT);
    }

    /// A pool may have as many threads as its user may have, and one answer of thousands fails.
    @Test
    void a_few_bad_answers_do_not_prove_that_a_slow_service_lacks_threads() {
        assertThat(user(30, 30).responseMillis(150, 4_000).bad(500, 150, 3).diagnosed().wallId())
                .isNotEqualTo(Optional.of(WALL));
        Recorded failing = user(30, 30).responseMillis(150, 4_000).bad(500, 150, 40);
        assertThat(failing.diagnosed().wallId()).contains(WALL);
        assertThat(failing.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains("the service answered 40 requests with a server error");
    }

    @Test
    void bad_answers_that_also_come_without_load_do_not_prove_that_threads_are_missing() {
        Recorded failing = user(30, 30).responseMillis(150, 4_000).bad(500, 150, 400);
        assertThat(failing.diagnosed().wallId()).contains(WALL);
        assertThat(failing.alone(18, 2).diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
    }

    @Test
    void of_several_services_the_one_closest_to_its_limit_is_described() {
        Recorded two =
                refused(0)
                        .level(CgroupFigure.TASKS.of("users"), End.SERVER, 20)
                        .level(CgroupFigure.TASKS.of("cache"), End.SERVER, 40)
                        .level(CgroupFigure.TASK_LIMIT.of("cache"), End.SERVER, 100);
        assertThat(because(two)).isEqualTo("no thread was refused: users had 20 of its 30");
        two.level(CgroupFigure.TASKS.of("cache"), End.SERVER, 70);
        assertThat(because(two)).isEqualTo("no thread was refused: cache had 70 of its 100");
        two.level(CgroupFigure.TASK_LIMIT.of("cache"), End.SERVER, Double.NaN);
        assertThat(because(two)).isEqualTo("no thread was refused: users had 20 of its 30");
    }

    @Test
    void connections_without_an_answer_are_evidence_of_missing_threads() {
        Diagnosis diagnosis = refused(40).unanswered(18).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly(
                        "users was refused a process or thread 40 times",
                        "it had 30 of the 30 that its cgroup allows",
                        "18 of 48 connections waited for an answer for most of the load, or got none");
    }

    /// They run as the same user, so both have reached his limit.
    @Test
    void of_two_services_of_a_user_the_one_that_was_refused_threads_is_named() {
        Recorded slow =
                user(30, 30)
                        .responseMillis(150, 4_000)
                        .level(ProcessFigure.USER_TASKS.of("worker"), End.SERVER, 30)
                        .level(ProcessFigure.USER_TASK_LIMIT.of("worker"), End.SERVER, 30);
        assertThat(slow.diagnosed().wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(because(slow)).startsWith("the user of users had 30");
        slow.grows(LogFigure.THREAD_ERRORS.of("worker"), End.SERVER, 12);
        assertThat(slow.diagnosed().wallId()).contains(WALL);
        assertThat(slow.diagnosed().headline().evidence().getFirst().says())
                .startsWith("the user of worker had 30");
    }

    /// A tenth of eleven samples are two.
    @Test
    void a_user_with_all_his_tasks_for_a_moment_is_not_named() {
        Recorded brief = user(30, 30).everySecond().error("closed", 900);
        brief.put(ProcessFigure.USER_TASKS.of("users"), End.SERVER, tasks(1));
        assertThat(brief.diagnosed().verdict()).isEqualTo(Verdict.UNNAMED);
        brief.put(ProcessFigure.USER_TASKS.of("users"), End.SERVER, tasks(2));
        assertThat(brief.diagnosed().wallId()).contains(WALL);
    }

    /// The limit is reached in the first samples.
    private static double[] tasks(int full) {
        double[] tasks = new double[Recorded.SECONDS + 1];
        Arrays.fill(tasks, 25);
        Arrays.fill(tasks, 0, full, 30);
        return tasks;
    }

    @Test
    void a_watch_names_a_user_with_all_his_tasks_if_the_log_proves_it() {
        Recorded watched = user(30, 30).everySecond();
        Diagnosis unproven = WatchedJudgementTest.watched(watched);
        assertThat(unproven.wallId()).isEmpty();
        assertThat(unproven.caveats()).extracting(Caveat::id).contains("near:" + WALL);
        watched.grows(LogFigure.THREAD_ERRORS.of("users"), End.SERVER, 12);
        assertThat(WatchedJudgementTest.watched(watched).wallId()).contains(WALL);
        watched.put(ProcessFigure.USER_TASKS.of("users"), End.SERVER, tasks(5));
        Diagnosis brief = WatchedJudgementTest.watched(watched);
        assertThat(brief.wallId()).isEmpty();
        assertThat(brief.caveats())
                .anySatisfy(caveat ->
                        assertThat(caveat.advice())
                                .contains("but in no more than 45 % of the time"));
    }

    @Test
    void a_load_command_whose_user_has_all_his_tasks_is_named_at_the_client() {
        Recorded client =
                Recorded.healthy()
                        .command()
                        .level(ProcessFigure.USER_TASKS.of("load"), End.CLIENT, 30)
                        .level(ProcessFigure.USER_TASK_LIMIT.of("load"), End.CLIENT, 30);
        assertThat(client.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        Diagnosis failing = client.error("command", 900).diagnosed();
        assertThat(failing.wallId()).contains(WALL);
        assertThat(failing.headline().end()).isEqualTo(End.CLIENT);
    }

    @Test
    void a_limit_of_a_user_that_is_reached_without_harm_is_near() {
        assertThat(because(user(30, 30)))
                .isEqualTo(
                        "the user of users had 30 of the 30 processes and threads that he may have, but it is not known to need more");
        assertThat(because(user(30, 30).grows(LogFigure.THREAD_ERRORS.of("users"), End.SERVER, 2)))
                .endsWith("processes and threads that he may have, without harm to this load");
    }
}
