package wallfinder.mcp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.OwnFolder;

/// One call of a tool. It may be cancelled before its command starts, and at any time after that.
final class Call {
    private static final Duration TICK = Duration.ofSeconds(1);

    /// A run has 30 seconds to end in order (`lab.session.Session`).
    private static final Duration ORDERLY = Duration.ofSeconds(35);

    private @Nullable Process process;
    private boolean cancelled;

    /// What happens during a call.
    interface Progress {
        void at(double seconds, String message);
    }

    /// @param code the exit code, or a negative number if the command never started
    /// @param json the file that the command wrote, as text; empty if it wrote none
    /// @param overdue whether the limit of the plan ended it
    record Ended(
            int code, String out, String err, String json, boolean cancelled, boolean overdue) {}

    /// Runs the command and waits for its end. The calling thread has to live as long as the
    /// command: the kernel ends the command with the thread that started it.
    Ended run(Program program, Tool.Plan plan, Progress progress)
            throws IOException, InterruptedException {
        try (OwnFolder folder = OwnFolder.make("wallfinder-mcp-")) {
            Path json = folder.path().resolve("result.json");
            Process started = start(program, plan, json);
            return started == null
                    ? new Ended(-1, "", "", "", true, false)
                    : finish(started, plan.limit(), json, progress);
        }
    }

    private synchronized @Nullable Process start(Program program, Tool.Plan plan, Path json)
            throws IOException {
        if (!cancelled) {
            process = program.start(plan.words(), plan.json() ? List.of(json) : List.of());
        }
        return process;
    }

    private Ended finish(Process started, Duration limit, Path json, Progress progress)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Said said = new Said(begun, progress);
        Printed out = new Printed(started.inputReader(), _ -> {});
        Printed err = new Printed(started.errorReader(), said::line);
        boolean overdue = false;
        while (!started.waitFor(TICK)) {
            said.tick();
            if (!overdue && System.nanoTime() - begun > limit.toNanos()) {
                overdue = true;
                end(started, ORDERLY);
            }
        }
        String result = Files.exists(json) ? Files.readString(json) : "";
        boolean wasCancelled;
        synchronized (this) {
            wasCancelled = cancelled;
        }
        return new Ended(
                started.exitValue(), out.text(), err.text(), result, wasCancelled, overdue);
    }

    /// Repeats the last line of the command every second, because a client may give up a call of
    /// which it hears nothing.
    private static final class Said {
        private final long begun;
        private final Progress progress;
        private String last = "running";

        Said(long begun, Progress progress) {
            this.begun = begun;
            this.progress = progress;
        }

        synchronized void line(String line) {
            last = line;
            tick();
        }

        synchronized void tick() {
            progress.at((System.nanoTime() - begun) / 1e9, last);
        }
    }

    /// Ends the command as Ctrl-C does: it reports what it has measured.
    void cancel() {
        cancel(ORDERLY);
    }

    /// @param patience after this time the command is killed
    synchronized void cancel(Duration patience) {
        cancelled = true;
        if (process != null) {
            end(process, patience);
        }
    }

    private static void end(Process process, Duration patience) {
        process.toHandle().destroy(); // the method of the process itself would also close its pipes
        Executor later =
                CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS);
        later.execute(process::destroyForcibly);
    }
}
