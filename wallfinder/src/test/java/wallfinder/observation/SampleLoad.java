package wallfinder.observation;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// Loads for tests: requests over kept connections in a closed loop.
public final class SampleLoad {
    public static final LoadOutcome.Stalls NO_STALLS = new LoadOutcome.Stalls(0, 0, 0, 0, 0);

    public static final LoadOutcome.Generator IDLE =
            new LoadOutcome.Generator(1, 0.5, 0, Map.of(), NO_STALLS);

    /// Other programs took its CPU.
    public static final LoadOutcome.Generator STARVED =
            new LoadOutcome.Generator(1, 0.5, 0.4, Map.of(), NO_STALLS);

    private SampleLoad() {}

    public static LoadOutcome.Requests of(
            int connections, double seconds, long answered, long resets, Histogram response) {
        return of(connections, seconds, answered, resets, response, IDLE);
    }

    /// @param resets requests that failed because the server reset their connection
    public static LoadOutcome.Requests of(
            int connections,
            double seconds,
            long answered,
            long resets,
            Histogram response,
            LoadOutcome.Generator generator) {
        return of(
                connections,
                seconds,
                answered,
                resets,
                new LoadOutcome.Times(response, response, new Histogram(3)),
                generator,
                new LoadOutcome.Loop.Closed());
    }

    /// An open loop over a hundred connections.
    public static LoadOutcome.Requests open(
            double seconds, long answered, LoadOutcome.Times times, LoadOutcome.Loop.Open loop) {
        return open(seconds, answered, times, loop, IDLE);
    }

    public static LoadOutcome.Requests open(
            double seconds,
            long answered,
            LoadOutcome.Times times,
            LoadOutcome.Loop.Open loop,
            LoadOutcome.Generator generator) {
        return of(100, seconds, answered, 0, times, generator, loop);
    }

    /// The same with requests in flight at its end.
    public static LoadOutcome.Requests hung(LoadOutcome.Requests load, long inFlight) {
        ExchangeCounts exchanges = load.exchanges();
        return with(
                load,
                new ExchangeCounts(
                        exchanges.sent() + inFlight,
                        exchanges.answered(),
                        inFlight,
                        exchanges.bytesReceived(),
                        exchanges.connectionsOpened()),
                load.failures(),
                load.unloadedNanos(),
                load.targets());
    }

    /// The same with requests without load, and with the results of each request.
    public static LoadOutcome.Requests mixed(
            LoadOutcome.Requests load, Histogram unloadedNanos, List<LoadOutcome.Target> targets) {
        return with(load, load.exchanges(), load.failures(), unloadedNanos, targets);
    }

    /// The same with further answers of status 503.
    public static LoadOutcome.Requests refusing(LoadOutcome.Requests load, long refused) {
        ExchangeCounts exchanges = load.exchanges();
        SortedMap<String, Long> errors = new TreeMap<>(load.errors());
        errors.put(ErrorKind.STATUS_5XX.word(), refused);
        return with(
                load,
                new ExchangeCounts(
                        exchanges.sent() + refused,
                        exchanges.answered() + refused,
                        exchanges.inFlight(),
                        exchanges.bytesReceived(),
                        exchanges.connectionsOpened()),
                new LoadOutcome.Failures(errors, new TreeMap<>(), 0),
                load.unloadedNanos(),
                load.targets());
    }

    private static LoadOutcome.Requests with(
            LoadOutcome.Requests load,
            ExchangeCounts exchanges,
            LoadOutcome.Failures failures,
            Histogram unloadedNanos,
            List<LoadOutcome.Target> targets) {
        return new LoadOutcome.Requests(
                load.engine(),
                load.connections(),
                load.keepalive(),
                load.loop(),
                load.seconds(),
                exchanges,
                failures,
                load.times(),
                unloadedNanos,
                load.answers(),
                load.redirects(),
                load.repeated(),
                load.tls(),
                targets);
    }

    private static LoadOutcome.Requests of(
            int connections,
            double seconds,
            long answered,
            long resets,
            LoadOutcome.Times times,
            LoadOutcome.Generator generator,
            LoadOutcome.Loop loop) {
        SortedMap<String, Long> errors = new TreeMap<>();
        if (resets > 0) {
            errors.put(ErrorKind.RESET.word(), resets);
        }
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine("io_uring", 1, generator),
                connections,
                true,
                loop,
                seconds,
                new ExchangeCounts(answered + resets, answered, 0, 0, connections),
                new LoadOutcome.Failures(errors, new TreeMap<>(), 0),
                times,
                new Histogram(3),
                Answers.NONE,
                0,
                0,
                null,
                List.of());
    }
}
