package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// Threads that wait for a lock, each with a control.
@Tag("sandbox")
class PlantedLocksTest extends PlantedTest {
    private static final String PYTHON = PlantedWaitsTest.PYTHON;
    private static final String JVM = PlantedWaitsTest.JVM;

    private static String experiment(String command, String knobs) {
        return PlantedWaitsTest.experiment(command, knobs);
    }

    /// A thread dump shows the owner of a monitor.
    @Test
    void a_monitor_in_a_jvm_is_named_with_its_owner() throws Exception {
        named("monitor=5", ", held by pool-");
    }

    @Test
    @Tag("long")
    void a_lock_in_a_jvm_is_named() throws Exception {
        named("lock=5", "ReentrantLock$NonfairSync, wanted in KnownTimes.");
    }

    private void named(String lock, String seen) throws Exception {
        RunRecord.Trial trial = run.planted("lock-contention", experiment(JVM + lock, ""), 32);
        PlantedRun.assertNamed(trial, "lock-contention", End.SERVER, "budget.lock");
        PlantedRun.assertNotNamed(trial, "server-concurrency");
        Evidence waiters = trial.diagnosis().headline().evidence().get(1);
        assertThat(waiters.name()).isEqualTo("jvm[planted].lockWaiters");
        assertThat(waiters.source()).contains("wanted in KnownTimes.").contains(seen);
    }

    @Test
    @Tag("long")
    void a_lock_in_another_program_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted("lock-contention", experiment(PYTHON + "--lock 5", ""), 32);
        PlantedRun.assertNamed(trial, "lock-contention", End.SERVER, "budget.lock");
        assertThat(trial.diagnosis().headline().evidence().get(1).name())
                .isEqualTo("waits[planted].sameFutex");
    }

    @Test
    @Tag("long")
    void threads_that_wait_without_a_common_lock_are_not_named() throws Exception {
        notNamed(PYTHON + "--lock 20 --locks 1000");
    }

    @Test
    @Tag("long")
    void threads_of_a_jvm_that_sleep_are_not_named() throws Exception {
        notNamed(JVM + "sleep=20");
    }

    private void notNamed(String command) throws Exception {
        RunRecord.Trial trial = run.control(experiment(command, ""), 32);
        PlantedRun.assertNotNamed(trial, "lock-contention");
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }

    @Test
    @Tag("long")
    void find_divides_the_lock() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        experiment(
                                PYTHON + "--lock 5 --locks {locks}",
                                "locks: { value: 1, moves: lock-contention, max: 32 }"),
                        "lock-contention",
                        End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "locks"), "1", "2");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
