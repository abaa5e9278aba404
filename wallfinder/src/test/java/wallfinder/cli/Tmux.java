package wallfinder.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// A real terminal, in which a program runs.
final class Tmux implements AutoCloseable {
    /// Records the settings of the terminal before and after the program. Ctrl-C ends only the
    /// program.
    private static final String SCRIPT =
            "trap : INT TERM; cd \"$1\" && shift && stty -g >before && \"$@\"; echo \"ended with $?\";"
                    + " stty -g >after; exec cat";

    private final Program program;
    private final Path socket;

    private Tmux(Program program) {
        this.program = program;
        socket = program.file("tmux");
    }

    /// Starts the program in a terminal of this size.
    ///
    /// @param environment variables of the program, such as `NO_COLOR=1`
    static Tmux start(
            Program program, int columns, int rows, List<String> environment, String... arguments)
            throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is not installed");
        Tmux tmux = new Tmux(program);
        List<String> before = new ArrayList<>(List.of("tmux", "-u", "-S", tmux.socket.toString()));
        before.addAll(List.of("-f", "/dev/null", "new-session", "-d"));
        before.addAll(List.of("-x", "" + columns, "-y", "" + rows));
        before.addAll(List.of("env", "-u", "CI", "-u", "NO_COLOR", "LC_ALL=C.UTF-8"));
        before.addAll(environment);
        before.addAll(List.of("sh", "-c", SCRIPT, "sh", program.file("").toString()));
        program.under(before.toArray(String[]::new));
        program.run(arguments).done(0);
        program.directly();
        return tmux;
    }

    /// The text of the screen, and of the lines that have left it at the top.
    String text() {
        return run("capture-pane", "-p", "-J", "-S", "-");
    }

    String screen() {
        return run("capture-pane", "-p");
    }

    void await(Predicate<String> fact) {
        Program.await(() -> fact.test(text()), this::text);
    }

    /// Waits for a fact about the lines that are on the screen.
    void awaitScreen(Predicate<String> fact) {
        Program.await(() -> fact.test(screen()), this::screen);
    }

    Tmux keys(String... keys) {
        List<String> words = new ArrayList<>(List.of("send-keys"));
        words.addAll(List.of(keys));
        run(words.toArray(String[]::new));
        return this;
    }

    void resize(int columns, int rows) {
        run("resize-window", "-x", "" + columns, "-y", "" + rows);
    }

    /// Whether the program has left the terminal as it was.
    void assertRestored() throws IOException {
        await(text -> text.contains("ended with "));
        Program.await(() -> Files.exists(program.file("after")));
        assertThat(program.file("after")).hasSameTextualContentAs(program.file("before"));
        assertThat(run("display-message", "-p", "#{cursor_flag} #{alternate_on}").strip())
                .isEqualTo("1 0");
    }

    private String run(String... arguments) {
        List<String> words = new ArrayList<>(List.of("tmux", "-u", "-S", socket.toString()));
        words.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        run("kill-server");
    }
}
