package wallfinder.lab.trial;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.profiling.Profiling;

/// The windows of a profiler during the measured time of a load, each about a second long, or none.
public final class ProfileWindows {
    /// A window has many samples, and a trial has many windows.
    private static final Duration WINDOW = Duration.ofSeconds(1);

    private final @Nullable Profiling profiling;
    private final LongSupplier answers;
    private final long fromNanos;
    private final long toNanos;
    private long answered;
    private long startNanos;
    private boolean begun;
    private boolean over;

    /// @param answers how many good ones came so far
    /// @param fromNanos the begin of the measured time by [System#nanoTime]
    /// @param toNanos its end
    public ProfileWindows(
            @Nullable Profiling profiling, LongSupplier answers, long fromNanos, long toNanos) {
        this.profiling = profiling;
        this.answers = answers;
        this.fromNanos = fromNanos;
        this.toNanos = toNanos;
    }

    /// Called often: begins and ends windows when their time has come.
    public void look() {
        long now = System.nanoTime();
        if (profiling == null || over || now - fromNanos < 0) {
            return;
        }
        if (!begun) {
            begun = true;
            answered = answers.getAsLong();
            startNanos = now;
            profiling.beginWindow();
        } else if (now - toNanos >= 0) {
            end();
        } else if (now - startNanos >= WINDOW.toNanos()) {
            endWindow(profiling);
        }
    }

    /// The load has ended.
    public void end() {
        if (profiling != null && begun && !over) {
            over = true;
            endWindow(profiling);
        }
    }

    private void endWindow(Profiling running) {
        long now = answers.getAsLong();
        running.endWindow(now - answered);
        answered = now;
        startNanos = System.nanoTime();
    }
}
