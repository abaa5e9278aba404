package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.session.Progress;
import wallfinder.live.LiveState;
import wallfinder.live.Moment;
import wallfinder.live.Step;
import wallfinder.record.Harmless;
import wallfinder.web.WebView;

/// The terminal: progress goes to the standard error, results to the standard output. If the
/// standard error is a terminal, a live view is below the lines of the progress until [#end].
final class Console implements Progress, AutoCloseable {
    private final boolean quiet;
    private final boolean terminal = isTerminal(2);
    private final @Nullable Screen screen;
    private final @Nullable WebView web;

    private Console(boolean quiet, @Nullable Screen screen, @Nullable WebView web) {
        this.quiet = quiet;
        this.screen = screen;
        this.web = web;
    }

    /// Without a live view.
    static Console plain() {
        return new Console(false, null, null);
    }

    /// With a live view if there is a terminal for it, and one for browsers if the user wants it.
    ///
    /// @param command the command line
    /// @param keys whether the user can look closer
    static Console live(FileOptions files, String command, boolean keys) {
        WebView web = files.web == null ? null : WebView.open(command, files.web);
        if (web != null) {
            System.err.println("live at " + web.url());
        }
        boolean shown = !files.quiet && !files.noLive && isTerminal(2) && mayDraw();
        Screen screen = shown ? Screen.open(command, keys && isTerminal(0)) : null;
        return new Console(files.quiet, screen, web);
    }

    @Override
    public void say(String line) {
        if (web != null) {
            web.say(line);
        }
        if (quiet) {
            return;
        }
        if (screen == null || !screen.say(line)) {
            System.err.println(terminal ? Harmless.line(line) : line);
        }
    }

    @Override
    public boolean isShown() {
        return screen != null || web != null;
    }

    @Override
    public void step(@Nullable Step step) {
        change(state -> state.with(step));
    }

    @Override
    public void show(Moment moment) {
        change(state -> state.with(moment));
    }

    private void change(UnaryOperator<LiveState> change) {
        if (screen != null) {
            screen.change(change);
        }
        if (web != null) {
            web.change(change);
        }
    }

    @Override
    public void finished(Path report) {
        if (web == null) {
            return;
        }
        try {
            web.finish(Files.readString(report));
        } catch (IOException e) {
            say("the view in the browser does not become the report: " + e.getMessage());
        }
    }

    /// Ends the live view in the terminal. Results may be printed then.
    void end() {
        if (screen != null) {
            screen.close();
        }
    }

    @Override
    public void close() {
        end();
        if (web != null) {
            web.close();
        }
    }

    /// Whether results may be bold: the output is a terminal, and NO_COLOR is not set.
    static boolean colours() {
        return isTerminal(1) && System.getenv("NO_COLOR") == null;
    }

    /// The folder in which Wallfinder is installed.
    static Path home() {
        return Path.of(System.getProperty("wallfinder.home", ".")).toAbsolutePath().normalize();
    }

    /// The view moves the cursor and uses colours. A program in the background would be stopped
    /// when it changes the terminal's settings.
    private static boolean mayDraw() {
        Map<String, String> environment = System.getenv();
        return !environment.containsKey("NO_COLOR")
                && !environment.containsKey("CI")
                && isInForeground();
    }

    static boolean isInForeground() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            // The fields after the name: state, parent, group, session, terminal, its group.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[2].equals(fields[5]);
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isTerminal(int descriptor) {
        try {
            String target =
                    Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            Map<String, String> environment = System.getenv();
            return (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty"))
                    && !"dumb".equals(environment.get("TERM"));
        } catch (IOException e) {
            return false;
        }
    }
}
