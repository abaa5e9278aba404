package wallfinder.load;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.RequestSpec;
import wallfinder.observation.LoadOutcome;

/// A load of a fixed number of requests.
public final class SmallLoad {
    private SmallLoad() {}

    /// A service that counts requests by the second has begun to count anew.
    private static final Duration REST = Duration.ofMillis(1100);

    /// Of several requests that got bad answers, so many at most are sent again.
    private static final int RESTED_MAX = 4;

    /// Answers that take longer than this need no [#apart]: so many of them take their time.
    private static final double QUICK_NANOS_MAX = 1e6;

    /// How much of the time a service works that is asked now and then. Requests seldom meet each
    /// other then.
    private static final double BUSY_SHARE = 0.25;

    private static final Duration APART = Duration.ofSeconds(1);
    private static final Arrival IN_SEQUENCE = new Arrival.Closed();

    /// Sends requests one after the other over one connection at a time. That is a load, too: what
    /// gets a bad answer is sent once more after a rest, and that answer decides.
    ///
    /// @param requests how many
    /// @param longest then it ends anyway
    public static Probe probe(LoadPlan plan, long requests, Duration longest) {
        LoadPlan alone = plan.overOneConnection(plan.mix().withEqualWeights(), IN_SEQUENCE);
        LoadOutcome.Requests inSequence = run(alone, requests, longest);
        LoadOutcome.Requests outcome =
                plan.arrival() instanceof Arrival.Open && isQuick(inSequence)
                        ? apart(alone, inSequence, requests)
                        : inSequence;
        boolean byRate =
                outcome.bad() > 0
                        && suspects(alone.mix().requests(), outcome).stream()
                                .allMatch(request -> goodAfterRest(plan, request, longest));
        return new Probe(
                outcome.responseNanos(),
                outcome.targets(),
                outcome.good(),
                byRate ? 0 : outcome.bad());
    }

    private static boolean isQuick(LoadOutcome.Requests inSequence) {
        return inSequence.good() > 0
                && inSequence.bad() == 0
                && inSequence.networkErrors() == 0
                && inSequence.responseNanos().getMean() <= QUICK_NANOS_MAX;
    }

    /// A service that stops for some milliseconds now and then holds up one request of a sequence,
    /// and a quick sequence is over before it stops. Requests with times of their own meet it more
    /// often. An open loop is compared with requests of that kind.
    private static LoadOutcome.Requests apart(
            LoadPlan alone, LoadOutcome.Requests inSequence, long requests) {
        double seconds = APART.toNanos() / 1e9;
        double perSecond =
                Math.min(
                        requests / seconds,
                        BUSY_SHARE * 1e9 / inSequence.responseNanos().getMean());
        long count = Math.max(1, (long) (perSecond * seconds));
        return run(
                alone.overOneConnection(alone.mix(), new Arrival.Rate(perSecond)),
                count,
                APART.multipliedBy(2));
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

    private static boolean goodAfterRest(LoadPlan plan, RequestSpec request, Duration longest) {
        LockSupport.parkNanos(REST.toNanos());
        LoadPlan alone = plan.overOneConnection(plan.mix().of(request), IN_SEQUENCE);
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
