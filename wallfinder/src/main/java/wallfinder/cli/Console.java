package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import wallfinder.lab.session.Progress;

/// The terminal: progress goes to the standard error, results to the standard output.
final class Console implements Progress {
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final boolean live;
    private final boolean quiet;

    Console(boolean quiet) {
        this.quiet = quiet;
        this.live = !quiet && isTerminal(2);
    }

    @Override
    public void say(String line) {
        if (!quiet) {
            System.err.println((live ? CLEAR_LINE : "") + line);
        }
    }

    @Override
    public void live(String state) {
        if (live) {
            System.err.print(CLEAR_LINE + state);
            System.err.flush();
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
