package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sandbox")
class LeftoversTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @TempDir Path folder;

    @Test
    void a_run_that_is_killed_at_any_moment_leaves_nothing_behind() throws Exception {
        List<String> moments = new KillRounds(20, folder).run(10);
        assertThat(moments).hasSize(10).contains("after: running");
    }

    @Test
    void a_live_run_is_not_swept() throws Exception {
        String runId = Sandboxes.runId();
        Process process = KilledRun.start(runId, folder);
        try {
            assertThat(Wait.until(BOUND, () -> KillRounds.isRunning(folder))).isTrue();
            List<String> running = LiveProcesses.marked(runId);
            assertThat(Leftovers.sweep(LockFolder.ofThisUser()).runs()).doesNotContain(runId);
            assertThat(LiveProcesses.marked(runId)).hasSize(3).isEqualTo(running);
            assertThat(KillRounds.cgroups(runId)).isNotEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(Leftovers.sweep(LockFolder.ofThisUser()).runs()).contains(runId);
        assertThat(Wait.until(BOUND, () -> LiveProcesses.marked(runId).isEmpty())).isTrue();
        assertThat(KillRounds.cgroups(runId)).isEmpty();
    }

    @Test
    void a_run_that_gets_sigterm_cleans_up() throws Exception {
        String runId = Sandboxes.runId();
        Process process = KilledRun.start(runId, folder);
        try {
            assertThat(Wait.until(BOUND, () -> KillRounds.isRunning(folder))).isTrue();
            process.destroy(); // SIGTERM, as Ctrl-C, runs the shutdown hooks
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        assertThat(LockFolder.ofThisUser().resolve(runId + RunLock.SUFFIX)).doesNotExist();
        assertThat(LiveProcesses.marked(runId)).isEmpty();
        assertThat(KillRounds.cgroups(runId)).isEmpty();
    }
}
