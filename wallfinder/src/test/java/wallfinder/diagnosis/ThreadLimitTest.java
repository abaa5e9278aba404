package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;

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
        assertThat(RemedyTest.texts(stopped, new Limits(null, 30L, null, null, null, null)))
                .containsExactly("users.pids 30 -> 128");
        assertThat(RemedyTest.texts(stopped, Limits.NONE)).isEmpty();
    }
}
