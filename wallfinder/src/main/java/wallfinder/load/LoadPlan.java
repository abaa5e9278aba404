package wallfinder.load;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;

/// Everything the engine needs to know before it starts.
///
/// @param target resolved
/// @param threads how many drive; lockstep is driven by one, and there are never more than
///   connections
/// @param keepalive false opens a connection for each request
/// @param timeout the longest time from the start of an exchange, its connect included, to its last
///   byte
/// @param tls null: plain HTTP
public record LoadPlan(
        InetSocketAddress target,
        Request request,
        int connections,
        int threads,
        boolean keepalive,
        Arrival arrival,
        Duration timeout,
        Sources sources,
        EngineThreads engineThreads,
        @Nullable TlsPlan tls) {

    public LoadPlan {
        if (target.isUnresolved() || connections < 1 || threads < 1 || timeout.isNegative()) {
            throw new IllegalArgumentException("not a plan that can be driven");
        }
        threads = arrival instanceof Arrival.Lockstep ? 1 : Math.min(threads, connections);
    }

    /// The same load by one connection, sent one after the other.
    LoadPlan alone() {
        return new LoadPlan(
                target,
                request,
                1,
                1,
                keepalive,
                new Arrival.Closed(),
                timeout,
                sources,
                engineThreads,
                tls);
    }

    long timeoutNanos() {
        return Math.min(timeout.toMillis() * 1_000_000L, Tally.NANOS_MAX);
    }

    boolean lockstep() {
        return arrival instanceof Arrival.Lockstep;
    }
}
