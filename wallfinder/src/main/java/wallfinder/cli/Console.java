package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.session.Progress;
import wallfinder.live.Moment;
import wallfinder.live.Step;
import wallfinder.record.Harmless;

/// The terminal: progress goes to the standard error, results to the standard output. If the
/// standard error is a terminal, a live view is below the lines of the progress until [#end].
final class Console implements Progress, AutoCloseable {
    private final boolean quiet;
    private final boolean terminal = isTerminal(2);
    private final @Nullable Screen screen;

    private Console(boolean quiet, @Nullable Screen screen) {
        this.quiet = quiet;
        this.screen = screen;
    }

    /// Without a live view.
    static Console plain() {
        return new Console(false, null);
    }

    /// With a live view if there is a terminal for it.
    ///
    /// @param command the command line
    /// @param keys whether the user can look closer
    static Console live(FileOptions files, String command, boolean keys) {
        boolean shown = !files.quiet && !files.noLive && isTerminal(2) && mayDraw();
        Screen screen = shown ? Screen.open(command, keys && isTerminal(0)) : null;
        return new Console(files.quiet, screen);
    }

    @Override
    public void say(String line) {
        if (quiet) {
            return;
        }
        if (screen == null || !screen.say(line)) {
            System.err.println(terminal ? Harmless.line(line) : line);
        }
    }

    @Override
    public boolean isShown() {
        return screen != null;
    }

    @Override
    public void step(@Nullable Step step) {
        if (screen != null) {
            screen.change(state -> state.with(step));
        }
    }

    @Override
    public void show(Moment moment) {
        if (screen != null) {
            screen.change(state -> state.with(moment));
        }
    }

    /// Ends the live view. Results may be printed then.
    void end() {
        if (screen != null) {
            screen.close();
        }
    }

    @Override
    public void close() {
        end();
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

    private static boolean isTerminal(int descriptor) {
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
