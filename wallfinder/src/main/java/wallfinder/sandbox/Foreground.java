package wallfinder.sandbox;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import wallfinder.linux.EnvironmentException;

/// Runs a command in the foreground: it has the terminal's input and output, and Ctrl-C reaches it
/// as it does all foreground processes. If we are asked to end, we stop the command first. If we
/// are killed, the kernel sends it SIGTERM (`PR_SET_PDEATHSIG`).
public final class Foreground {
    private static final Duration TERM_MAX = Duration.ofSeconds(10);

    private Foreground() {}

    /// Runs the command and waits until it ends.
    ///
    /// @return the exit code, or 128 plus the number of the signal that ended it
    public static int run(List<String> command) throws InterruptedException {
        List<String> words = new ArrayList<>();
        words.addAll(List.of(Gate.tool("setpriv"), "--pdeathsig", "TERM", "--"));
        words.addAll(command);
        Process process = started(words);
        AutoCloseable end = () -> stop(process);
        AtExit.add(end);
        try {
            return process.waitFor();
        } finally {
            AtExit.remove(end);
        }
    }

    private static Process started(List<String> words) {
        try {
            return new ProcessBuilder(words).inheritIO().start();
        } catch (IOException e) {
            throw new EnvironmentException(
                    words.getLast() + " cannot be started",
                    String.valueOf(e.getMessage()),
                    "check that memory and processes are left");
        }
    }

    private static void stop(Process process) {
        process.destroy();
        Wait.until(TERM_MAX, () -> !process.isAlive());
        process.destroyForcibly();
    }
}
