package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `watch` as a user starts it, and its file for `load --peer`.
@Tag("slow")
@Timeout(180)
class WatchCommandTest extends ProgramTest {
    private static String port(TinyServer server) {
        return Integer.toString(server.port());
    }

    @Test
    void a_service_without_load_has_no_wall_and_the_files_are_kept() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Ended ended =
                    program.run(
                            "watch", "--port", port(server), "-d", "1s", "--json", json.toString());
            assertThat(ended.done(0).out())
                    .contains("watched for 1.", "No wall", "observation.json");
            assertThat(ended.err()).contains("watching ").doesNotContain("\r");
        }
        assertThat(Program.schemaErrors(json)).isEmpty();
        assertThat(Files.readString(json))
                .contains("\"load\" : null", "\"harms\" : null", "\"serverWatched\" : true");
        assertThat(program.runs()).hasSize(1);
        assertThat(program.text("runs", "series.csv")).contains("server:");
        assertThat(program.text("runs", "observation.json"))
                .startsWith("{\"schema\":\"wallfinder-observation/1\"");
    }

    @Test
    void ctrl_c_ends_the_watch_and_prints_what_was_seen() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Started started =
                    program.start("watch", "--port", port(server), "--json", json.toString());
            started.awaitOutput("watching ");
            assertThat(started.signalled("INT").done(130).out())
                    .contains("watched for ", "Files: ");
        }
        assertThat(Program.schemaErrors(json)).isEmpty();
    }

    @Test
    void quiet_leaves_nothing_but_the_files() throws Exception {
        String own = Long.toString(ProcessHandle.current().pid());
        Path out = program.file("kept");
        Program.Ended ended =
                program.run("watch", "--pid", own, "--quiet", "-d", "500ms", "--out", "" + out);
        assertThat(ended.done(0).out() + ended.err()).isEmpty();
        assertThat(out.resolve("observation.json")).exists();
    }

    /// As `kernel.yama.ptrace_scope` does with a user's own processes. Here something covers the
    /// file.
    @Test
    @Tag("sandbox")
    void threads_that_the_kernel_hides_are_a_doubt() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        try {
            String pid = Long.toString(sleeper.pid());
            String covered = "mount --bind /dev/null /proc/$0/task/$0/syscall && exec \"$@\"";
            program.under("unshare", "--mount", "sh", "-c", covered, pid);
            program.run("watch", "--pid", pid, "-d", "1s", "--json", json.toString()).done(0);
            assertThat(Files.readString(json)).contains("threads-hidden:sleep");
            assertThat(program.text("runs", "series.csv")).doesNotContain("waits[sleep].lock");
        } finally {
            sleeper.destroy();
        }
    }

    @Test
    @Tag("sandbox")
    void the_process_of_another_user_cannot_be_watched_without_the_right() throws Exception {
        program.under("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--");
        program.run("watch", "--pid=" + ProcessHandle.current().pid())
                .failed(3, "cannot be watched", "another user", "run as root");
    }

    @Test
    void a_file_that_is_not_an_observation_is_refused_before_the_load() throws Exception {
        Path other =
                Files.writeString(program.file("other.json"), "{\"schema\": \"wallfinder/1\"}");
        try (TinyServer server = new TinyServer(0)) {
            program.run("load", server.url(), "-d", "10m", "--peer", other.toString())
                    .failed(2, "is not an observation of a watch");
        }
    }

    @Test
    void a_watch_that_ended_before_the_load_is_a_doubt_and_is_not_joined() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Path out = program.file("before");
            program.run("watch", "--port", port(server), "-d", "500ms", "--out", out.toString())
                    .done(0);
            Program.Started load =
                    program.start(
                            "load", server.url(), "-d500ms", "--peer=" + out, "--json=" + json);
            load.awaitOutput("watch that ended before the load began");
            Files.setLastModifiedTime(out.resolve("observation.json"), FileTime.fromMillis(0));
            Program.Ended ended = load.end().measured();
            assertThat(ended.out()).contains("peer-not-joined");
        }
        assertThat(Files.readString(json)).contains("before the load began");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }
}
