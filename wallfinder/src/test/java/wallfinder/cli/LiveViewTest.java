package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The live view in a real terminal.
@Tag("slow")
@Timeout(180)
class LiveViewTest extends ProgramTest {
    private static final List<String> USUAL = List.of();

    private static boolean isDrawn(String text) {
        return text.contains("answers/s ")
                && text.contains(" left")
                && text.lines().anyMatch(line -> line.matches(".* \\d+ %\\s*"));
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "200, 60", "40, 10"})
    void a_load_in_a_terminal_shows_its_limits_and_ctrl_c_restores_the_terminal(
            int columns, int rows) throws Exception {
        try (TinyServer server = new TinyServer(0);
                Tmux tmux = load(columns, rows, USUAL, server, "-d", "10m")) {
            tmux.await(LiveViewTest::isDrawn);
            assertThat(tmux.screen().lines())
                    .allSatisfy(line -> assertThat(line.length()).isLessThan(columns))
                    .anySatisfy(line -> assertThat(line).matches(".* [\\d,]+/[\\d,]+ .*"));
            tmux.keys("x", "C-c").await(text -> text.contains("ended with 130"));
            assertThat(tmux.text())
                    .contains("answered in", "Files: ")
                    .doesNotContain("░", "━")
                    .doesNotContain("^C");
            tmux.assertRestored();
        }
    }

    @Test
    void a_terminal_that_changes_its_size_has_one_whole_view() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Tmux tmux = load(100, 30, USUAL, server, "-d", "10m")) {
            tmux.await(LiveViewTest::isDrawn);
            tmux.resize(60, 18);
            tmux.awaitScreen(text -> isDrawn(text) && views(text) == 1);
            tmux.resize(120, 40);
            tmux.awaitScreen(text -> isDrawn(text) && views(text) == 1);
            tmux.keys("C-c").await(text -> text.contains("ended with 130"));
            assertThat(tmux.screen()).doesNotContain("░", "━");
            tmux.assertRestored();
        }
    }

    private static long views(String text) {
        return text.lines().filter(line -> line.contains("wallfinder load ")).count();
    }

    @Test
    void a_finished_hold_leaves_its_result() throws Exception {
        try (HoldCommandTest.EchoPeer server = new HoldCommandTest.EchoPeer(Long.MAX_VALUE);
                Tmux tmux =
                        Tmux.start(program, 80, 24, USUAL, "hold", server.target(), "-d", "2s")) {
            tmux.await(text -> text.contains("ended with "));
            assertThat(tmux.text()).contains("Files: ").doesNotContain("░", "━");
            tmux.assertRestored();
        }
    }

    @Test
    void a_finished_load_leaves_its_result() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Tmux tmux = load(80, 24, USUAL, server, "-d", "2s")) {
            tmux.await(LiveViewTest::isDrawn);
            tmux.await(text -> text.contains("ended with "));
            assertThat(tmux.text()).contains("Files: ").doesNotContain("░", "━");
            tmux.assertRestored();
        }
    }

    @Test
    void a_terminated_load_restores_the_terminal() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Tmux tmux = load(80, 24, USUAL, server, "-d", "10m")) {
            tmux.await(LiveViewTest::isDrawn);
            Program.await(() -> server.answered() > 20);
            assertThat(program.running("java")).hasSize(1).allMatch(ProcessHandle::destroy);
            tmux.await(text -> text.contains("ended with 143"));
            assertThat(tmux.text()).contains("Files: ").doesNotContain("░", "━");
            tmux.assertRestored();
        }
    }

    @Test
    void the_view_can_be_turned_off() throws Exception {
        turnsOff("--no-live");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"NO_COLOR=1", "CI=true", "TERM=dumb"})
    void a_variable_can_turn_the_view_off(String how) throws Exception {
        turnsOff(how);
    }

    private void turnsOff(String how) throws Exception {
        List<String> environment = how.startsWith("--") ? USUAL : List.of(how);
        String[] option =
                how.startsWith("--") ? new String[] {"-d", "1s", how} : new String[] {"-d", "1s"};
        try (TinyServer server = new TinyServer(0);
                Tmux tmux = load(80, 24, environment, server, option)) {
            tmux.await(text -> text.contains("ended with "));
            assertThat(tmux.text()).contains("Files: ").doesNotContain("━", " left");
            tmux.assertRestored();
        }
    }

    @Test
    void a_user_who_watches_looks_closer_with_keys() throws Exception {
        try (TinyServer server = new TinyServer(0);
                Tmux tmux =
                        Tmux.start(
                                program,
                                100,
                                30,
                                USUAL,
                                "watch",
                                "--pid",
                                "" + ProcessHandle.current().pid())) {
            assertThat(server.url()).isNotEmpty();
            tmux.await(text -> text.contains("up/down select") && text.contains("descriptors"));
            tmux.keys("t").await(text -> text.contains("threads in all"));
            tmux.keys("Escape").await(text -> text.contains("up/down select"));
            tmux.keys("Down", "Enter").await(text -> text.contains("read from "));
            tmux.keys("Escape").await(text -> text.contains("up/down select"));
            tmux.keys("q").await(text -> text.contains("ended with 130"));
            assertThat(tmux.text()).contains("Files: ").doesNotContain("░", "━");
            tmux.assertRestored();
        }
    }

    private Tmux load(
            int columns, int rows, List<String> environment, TinyServer server, String... options)
            throws Exception {
        String[] arguments = new String[options.length + 2];
        arguments[0] = "load";
        arguments[1] = server.url();
        System.arraycopy(options, 0, arguments, 2, options.length);
        Tmux tmux = Tmux.start(program, columns, rows, environment, arguments);
        Program.await(() -> Files.exists(program.file("before")));
        return tmux;
    }
}
