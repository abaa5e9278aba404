package wallfinder.profiling;

import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/// The windows of a profiler during some time, such as the measured one of a load: each about a
/// second long. Or none.
public final class ProfileWindows {
    /// A window has many samples, and a trial has many windows.
    private static final Duration WINDOW = Duration.ofSeconds(1);

    private final @Nullable Profiling profiling;
    private final DoubleSupplier answers;
    private final long fromNanos;
    private final long toNanos;
    private double answered;
    private long startNanos;
    private boolean begun;
    private boolean over;
    private boolean anyEnded;

    /// @param answers how many good ones came so far; `NaN` if that is unknown
    /// @param fromNanos the begin of the measured time by [System#nanoTime]
    /// @param toNanos its end
    public ProfileWindows(
            @Nullable Profiling profiling, DoubleSupplier answers, long fromNanos, long toNanos) {
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
            answered = answers.getAsDouble();
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

    public boolean anyEnded() {
        return anyEnded;
    }

    private void endWindow(Profiling running) {
        double now = answers.getAsDouble();
        running.endWindow(now - answered);
        answered = now;
        anyEnded = true;
        startNanos = System.nanoTime();
    }
}
