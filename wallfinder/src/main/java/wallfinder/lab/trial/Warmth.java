package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Decides when a service is warm: the CPU time of an answer no longer falls, and the JIT compilers
/// are idle.
///
/// The rate alone does not show this. A rate that looks flat for some seconds may still grow for a
/// minute, and a wall hides the growth.
final class Warmth {
    static final Duration WINDOW = Duration.ofMillis(500);

    /// A single window is too short for a mean. The last few are compared with the same number
    /// before.
    private static final int WINDOWS = 3;

    /// Below this ratio, the cost is still falling. On a quiet host, two figures differ by a few
    /// per cent.
    private static final double FLAT_MIN = 0.95;

    /// Compilers that use more than this share of the service's CPU time are still at work.
    private static final double COMPILING_MAX = 0.05;

    /// Compilers that use less than this share of one CPU are idle, however idle the service is.
    private static final double COMPILING_CPU_MAX = 0.02;

    private final List<Window> windows = new ArrayList<>();

    /// What happened within [#WINDOW].
    ///
    /// @param cpuSeconds of the services, or `NaN` if their processes are hidden
    /// @param compilerSeconds the part of it that the JIT compilers used; 0 without a JVM
    record Window(long answers, double cpuSeconds, double compilerSeconds) {}

    /// @return true if the service is warm, this window included
    boolean add(Window window) {
        windows.add(window);
        int size = windows.size();
        if (size < 2 * WINDOWS) {
            return false;
        }
        Window last = sum(size - WINDOWS, size);
        Window before = sum(size - 2 * WINDOWS, size - WINDOWS);
        return last.answers() > 0 && flat(before, last) && compilersIdle(last);
    }

    /// The CPU time of an answer in the last windows, in microseconds; `NaN` if unknown.
    double cpuMicrosPerAnswer() {
        Window last = sum(Math.max(0, windows.size() - WINDOWS), windows.size());
        return last.answers() > 0 ? last.cpuSeconds() * 1e6 / last.answers() : Double.NaN;
    }

    private static boolean flat(Window before, Window last) {
        return before.answers() > 0 && cost(last) >= FLAT_MIN * cost(before);
    }

    /// The CPU time of an answer, or its elapsed time if the CPU time is hidden.
    private static double cost(Window window) {
        double spent =
                Double.isNaN(window.cpuSeconds())
                        ? WINDOWS * WINDOW.toNanos() / 1e9
                        : window.cpuSeconds();
        return spent / window.answers();
    }

    private static boolean compilersIdle(Window last) {
        double idle = COMPILING_CPU_MAX * WINDOWS * WINDOW.toNanos() / 1e9;
        return Double.isNaN(last.cpuSeconds())
                || last.compilerSeconds() <= Math.max(idle, COMPILING_MAX * last.cpuSeconds());
    }

    private Window sum(int from, int to) {
        long answers = 0;
        double cpuSeconds = 0;
        double compilerSeconds = 0;
        for (Window window : windows.subList(from, to)) {
            answers += window.answers();
            cpuSeconds += window.cpuSeconds();
            compilerSeconds += window.compilerSeconds();
        }
        return new Window(answers, cpuSeconds, compilerSeconds);
    }
}
