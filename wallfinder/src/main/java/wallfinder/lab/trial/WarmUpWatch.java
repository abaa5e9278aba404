package wallfinder.lab.trial;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.lab.session.RunContext;
import wallfinder.live.Moment;
import wallfinder.live.Planned;

/// Watches a load that warms a service, until the service is warm.
public final class WarmUpWatch {
    private WarmUpWatch() {}

    /// @param warm false if the service still got faster, or lacked answers, at the end of the time
    /// @param cpuMicrosPerAnswer at the end; `NaN` if the CPU time is unknown
    public record Watched(boolean warm, double cpuMicrosPerAnswer) {}

    /// Watches services whose CPU time is unknown.
    ///
    /// @param answers counts the answers so far
    /// @return null if the user stopped it
    public static @Nullable Watched watch(
            WarmUp warmUp, Duration max, LongSupplier answers, RunContext context) {
        return watch(
                warmUp,
                max,
                answers,
                new ServiceCpu(List.of()),
                context,
                (doing, time) -> context.progress().show(Moment.of(doing, time)));
    }

    /// @param cpu of the services
    /// @param show shows what happens, and how long it takes
    static @Nullable Watched watch(
            WarmUp warmUp,
            Duration max,
            LongSupplier answers,
            ServiceCpu cpu,
            RunContext context,
            BiConsumer<String, Planned> show) {
        long start = System.nanoTime();
        String doing = "warming up with %,d connections".formatted(warmUp.connections());
        Warmth warmth = new Warmth();
        boolean warm = false;
        ServiceCpu.Used used = cpu.read();
        long before = answers.getAsLong();
        while (!warm && System.nanoTime() - start < max.toNanos()) {
            if (!context.interruption().pause(Warmth.WINDOW)) {
                return null;
            }
            show.accept(doing, Planned.atMost(start, max));
            ServiceCpu.Used usedNow = cpu.read();
            long now = answers.getAsLong();
            warm = warmth.add(window(now - before, usedNow.since(used)));
            warm &= now >= warmUp.answers();
            used = usedNow;
            before = now;
        }
        return new Watched(warm, warmth.cpuMicrosPerAnswer());
    }

    private static Warmth.Window window(long answers, ServiceCpu.Used used) {
        return new Warmth.Window(answers, used.seconds(), used.compilerSeconds());
    }
}
