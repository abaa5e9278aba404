package wallfinder.load;

import java.time.Duration;
import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome;

/// Small loads that end by themselves.
public final class Load {
    private Load() {}

    /// Sends requests one after the other over one connection at a time.
    ///
    /// @param requests how many
    /// @param longest then it ends anyway
    /// @return their response times in nanoseconds, empty if none was answered
    public static Histogram probe(LoadPlan plan, long requests, Duration longest) {
        return run(plan.alone(), requests, longest).responseNanos();
    }

    /// Drives a number of requests.
    ///
    /// @param longest then it ends anyway
    public static LoadOutcome run(LoadPlan plan, long requests, Duration longest) {
        try (LoadRun run = LoadRun.start(plan, requests)) {
            run.awaitDone(longest);
            return run.finish(Duration.ZERO);
        }
    }
}
