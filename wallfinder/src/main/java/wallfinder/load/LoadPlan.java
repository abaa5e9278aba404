package wallfinder.load;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Timeouts;

/// Everything the engine needs to know before it starts.
///
/// @param target resolved, or the path of a unix socket
/// @param threads at most one per connection, and one for lockstep
/// @param keepalive false opens a connection for each request
/// @param expect which answers are good
/// @param tls null: plain HTTP
/// @param share the part of the arrival's requests that this plan has; the connections are its own
public record LoadPlan(
        SocketAddress target,
        RequestMix mix,
        int connections,
        int threads,
        boolean keepalive,
        Arrival arrival,
        Timeouts timeouts,
        Expectation expect,
        Sources sources,
        EngineThreads engineThreads,
        @Nullable TlsPlan tls,
        Share share) {
    /// A plan of a whole load.
    public LoadPlan(
            SocketAddress target,
            RequestMix mix,
            int connections,
            int threads,
            boolean keepalive,
            Arrival arrival,
            Timeouts timeouts,
            Expectation expect,
            Sources sources,
            EngineThreads engineThreads,
            @Nullable TlsPlan tls) {
        this(
                target,
                mix,
                connections,
                threads,
                keepalive,
                arrival,
                timeouts,
                expect,
                sources,
                engineThreads,
                tls,
                Share.WHOLE);
    }

    public LoadPlan {
        boolean unresolved = target instanceof InetSocketAddress inet && inet.isUnresolved();
        if (unresolved || connections < 1 || threads < 1 || timeouts.whole().isNegative()) {
            throw new IllegalArgumentException("not a valid plan");
        }
        threads = arrival instanceof Arrival.Lockstep ? 1 : Math.min(threads, connections);
    }

    /// The same plan as a part of a larger load.
    public LoadPlan as(Share part) {
        return new LoadPlan(
                target,
                mix,
                connections,
                threads,
                keepalive,
                arrival,
                timeouts,
                expect,
                sources,
                engineThreads,
                tls,
                part);
    }

    /// The same plan with one connection, other requests and another arrival.
    LoadPlan overOneConnection(RequestMix requests, Arrival when) {
        return new LoadPlan(
                target,
                requests,
                1,
                1,
                keepalive,
                when,
                timeouts,
                expect,
                sources,
                engineThreads,
                tls);
    }

    /// A time-out, at most the longest time of the histograms.
    static long nanos(Duration timeout) {
        return timeout.toSeconds() > Tally.NANOS_MAX / 1_000_000_000L
                ? Tally.NANOS_MAX
                : Math.min(timeout.toNanos(), Tally.NANOS_MAX);
    }
}
