package wallfinder.sandbox;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import wallfinder.linux.EnvironmentException;

/// A command that has the terminal while it runs: what it says and what it is told are its own, and
/// so is Ctrl-C, which reaches all processes of the foreground. If we are asked to end, it is asked
/// first; if we are killed, the kernel asks it (`PR_SET_PDEATHSIG`).
public final class Foreground {
    private static final Duration TERM_MAX = Duration.ofSeconds(10);

    private Foreground() {}

    /// Runs it on the calling thread.
    ///
    /// @return its exit code, 128 plus the signal where one ended it
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
                    "see that memory and processes are left");
        }
    }

    private static void stop(Process process) {
        process.destroy();
        Wait.until(TERM_MAX, () -> !process.isAlive());
        process.destroyForcibly();
    }
}
