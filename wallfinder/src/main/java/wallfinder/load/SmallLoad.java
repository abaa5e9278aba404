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

    /// After this time a service that limits requests per second counts from zero.
    private static final Duration PAUSE = Duration.ofMillis(1100);

    /// How many of the requests with bad answers are sent again.
    private static final int RETRIED_MAX = 4;

    /// If answers take longer than this, the sequence itself takes long enough and [#spaced] is not
    /// needed.
    private static final double QUICK_NANOS_MAX = 1e6;

    /// How much of the time the service works on spaced requests. They rarely overlap then.
    private static final double BUSY_SHARE = 0.25;

    private static final Duration SPACED_DURATION = Duration.ofSeconds(1);
    private static final Arrival IN_SEQUENCE = new Arrival.Closed();

    /// Sends requests one after the other over one connection. This is a load, too: a request with
    /// a bad answer is sent once more after a pause, and that answer decides.
    ///
    /// @param requests how many
    /// @param longest ends the load in any case
    public static Probe probe(LoadPlan plan, long requests, Duration longest) {
        LoadPlan alone = plan.overOneConnection(plan.mix().withEqualWeights(), IN_SEQUENCE);
        LoadOutcome.Requests inSequence = run(alone, requests, longest);
        boolean again = plan.arrival() instanceof Arrival.Open && isQuick(inSequence);
        LoadOutcome.Requests outcome = again ? spaced(alone, inSequence, requests) : inSequence;
        long before = again ? inSequence.answered() : 0;
        boolean byRate =
                outcome.bad() > 0
                        && suspects(alone.mix().requests(), outcome).stream()
                                .allMatch(request -> goodAfterPause(plan, request, longest));
        return new Probe(
                outcome.responseNanos(),
                outcome.targets(),
                outcome.good(),
                byRate ? 0 : outcome.bad(),
                before + outcome.answered(),
                outcome.handshakes());
    }

    private static boolean isQuick(LoadOutcome.Requests inSequence) {
        return inSequence.good() > 0
                && inSequence.bad() == 0
                && inSequence.networkErrors() == 0
                && inSequence.responseNanos().getMean() <= QUICK_NANOS_MAX;
    }

    /// Repeats a quick sequence with spaced requests. A service that occasionally stops for some
    /// milliseconds delays one request of a sequence, and a quick sequence may end before such a
    /// stop. Requests with their own due times meet it more often, as those of an open loop do.
    private static LoadOutcome.Requests spaced(
            LoadPlan alone, LoadOutcome.Requests inSequence, long requests) {
        double seconds = SPACED_DURATION.toNanos() / 1e9;
        double perSecond =
                Math.min(
                        requests / seconds,
                        BUSY_SHARE * 1e9 / inSequence.responseNanos().getMean());
        long count = Math.max(1, (long) (perSecond * seconds));
        return run(
                alone.overOneConnection(alone.mix(), new Arrival.Rate(perSecond)),
                count,
                SPACED_DURATION.multipliedBy(2));
    }

    private static List<RequestSpec> suspects(
            List<RequestSpec> requests, LoadOutcome.Requests outcome) {
        return IntStream.range(0, requests.size())
                .filter(which ->
                        outcome.targets().isEmpty() || outcome.targets().get(which).bad() > 0)
                .limit(RETRIED_MAX)
                .mapToObj(requests::get)
                .toList();
    }

    private static boolean goodAfterPause(LoadPlan plan, RequestSpec request, Duration longest) {
        LockSupport.parkNanos(PAUSE.toNanos());
        LoadPlan alone = plan.overOneConnection(plan.mix().of(request), IN_SEQUENCE);
        return run(alone, 1, longest).good() == 1;
    }

    /// Drives a number of requests.
    ///
    /// @param longest ends the load in any case
    public static LoadOutcome.Requests run(LoadPlan plan, long requests, Duration longest) {
        try (LoadRun run = LoadRun.start(plan, requests)) {
            run.awaitDone(longest);
            return run.finish(Duration.ZERO);
        }
    }
}
