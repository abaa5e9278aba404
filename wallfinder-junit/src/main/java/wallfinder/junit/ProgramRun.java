package wallfinder.junit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs the program once, for a bounded time.
///
/// The kernel ends the program when the thread that started it ends (`PR_SET_PDEATHSIG`), however
/// the JVM of the test ends. So each run has a thread of its own, which waits until the program has
/// ended. The thread of the test could be one of a pool, which ends earlier.
final class ProgramRun {
    private static final long POLL_MILLIS = 100;

    /// Before it measures, the program may have to be built, and to wait for another measurement.
    private static final Duration WAIT_MAX = Duration.ofMinutes(30);

    /// The program itself takes at most 30 s to end in order.
    private static final Duration END_MAX = Duration.ofSeconds(40);

    private final Path folder;
    private final Path log;
    private final CompletableFuture<Process> started = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();

    private ProgramRun(Path folder, Path log) {
        this.folder = folder;
        this.log = log;
    }

    /// @param words the arguments of the program
    /// @param folder the run's folder, which the program makes when its turn to measure comes
    /// @param log where all output of the program goes
    /// @param timeMax how long the program may take from then on
    /// @return the exit code
    static int run(Path program, List<String> words, Path folder, Path log, Duration timeMax) {
        List<String> all = new ArrayList<>();
        all.add(Program.setpriv(System::getenv).toString());
        all.addAll(List.of("--pdeathsig", "TERM", "--", program.toString()));
        all.addAll(words);
        ProgramRun run = new ProgramRun(folder, log);
        Thread thread = new Thread(() -> run.start(all), "wallfinder");
        thread.setDaemon(true);
        thread.start();
        try {
            return run.await(timeMax);
        } catch (InterruptedException e) {
            run.stop();
            Thread.currentThread().interrupt();
            throw new WallfinderException(
                    "the measurement was stopped",
                    "the thread of the test was interrupted, as JUnit does at the end of a time-out",
                    "give the test more time");
        }
    }

    private void start(List<String> words) {
        try {
            Process process =
                    new ProcessBuilder(words)
                            .redirectInput(new File("/dev/null"))
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            started.complete(process);
            ended.complete(process.waitFor());
        } catch (IOException | InterruptedException e) {
            started.completeExceptionally(e);
            ended.completeExceptionally(e);
        }
    }

    private int await(Duration timeMax) throws InterruptedException {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        boolean measures = false;
        while (deadline - System.nanoTime() > 0) {
            if (!measures && Files.exists(folder)) {
                measures = true;
                deadline = System.nanoTime() + timeMax.toNanos();
            }
            try {
                return ended.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // It has not ended yet.
            } catch (ExecutionException e) {
                throw new WallfinderException(
                        "the measurement cannot be started",
                        String.valueOf(e.getCause()),
                        "check that memory and processes are left");
            }
        }
        stop();
        throw new WallfinderException(
                measures
                        ? "the measurement took longer than %d s".formatted(timeMax.toSeconds())
                        : "the measurement did not begin within %d min"
                                .formatted(WAIT_MAX.toMinutes()),
                measures
                        ? "that is the limit of the test; the program was stopped"
                        : "another run may measure on this host all the time",
                "read %s; timeout(...) sets another limit".formatted(log));
    }

    /// Asks the program to end, and kills it if it does not.
    private void stop() {
        Process process = started.getNow(null);
        if (process == null) {
            return;
        }
        process.destroy();
        try {
            if (process.waitFor(END_MAX.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
