package wallfinder.load;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import wallfinder.experiment.RequestSpec;
import wallfinder.observation.LoadOutcome;

/// Small loads that end by themselves.
public final class Load {
    private Load() {}

    /// A service that counts requests by the second has begun to count anew.
    private static final Duration REST = Duration.ofMillis(1100);

    /// Of several requests that got bad answers, so many at most are sent again.
    private static final int RESTED_MAX = 4;

    /// Sends requests one after the other over one connection at a time. That is a load, too: what
    /// gets a bad answer is sent once more after a rest, and that answer decides.
    ///
    /// @param requests how many
    /// @param longest then it ends anyway
    public static Probe probe(LoadPlan plan, long requests, Duration longest) {
        LoadPlan alone = plan.alone(plan.mix().eachAsOften());
        LoadOutcome.Requests outcome = run(alone, requests, longest);
        boolean byRate =
                outcome.bad() > 0
                        && suspects(alone.mix().requests(), outcome).stream()
                                .allMatch(request -> goodAfterRest(plan.alone(request), longest));
        return new Probe(
                outcome.responseNanos(),
                outcome.targets(),
                outcome.good(),
                byRate ? 0 : outcome.bad());
    }

    private static List<RequestSpec> suspects(
            List<RequestSpec> requests, LoadOutcome.Requests outcome) {
        return IntStream.range(0, requests.size())
                .filter(which ->
                        outcome.targets().isEmpty() || outcome.targets().get(which).bad() > 0)
                .limit(RESTED_MAX)
                .mapToObj(requests::get)
                .toList();
    }

    private static boolean goodAfterRest(LoadPlan alone, Duration longest) {
        LockSupport.parkNanos(REST.toNanos());
        return run(alone, 1, longest).good() == 1;
    }

    /// Drives a number of requests.
    ///
    /// @param longest then it ends anyway
    public static LoadOutcome.Requests run(LoadPlan plan, long requests, Duration longest) {
        try (LoadRun run = LoadRun.start(plan, requests)) {
            run.awaitDone(longest);
            return run.finish(Duration.ZERO);
        }
    }
}
