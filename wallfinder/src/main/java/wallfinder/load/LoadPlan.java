package wallfinder.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import wallfinder.experiment.Arrival;

/// Everything the engine needs to know before it starts.
///
/// @param target resolved
/// @param hostHeader the value of the Host header
/// @param threads how many drive; lockstep is driven by one, and there are never more than
///   connections
/// @param keepalive false opens a connection for each request
/// @param timeout the longest time from the start of an exchange, its connect included, to its last
///   byte
/// @param sources the addresses to connect from, or empty: the kernel chooses
/// @param portMin the first of the ports to connect from, or 0: the kernel chooses
/// @param portMax the last of them
/// @param enterThread run first on each engine thread, to enter a namespace for example
/// @param cpus the engine threads are pinned to these in turn, or empty: not pinned
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record LoadPlan(
        InetSocketAddress target,
        String hostHeader,
        String method,
        String pathAndQuery,
        Map<String, String> headers,
        byte[] body,
        int connections,
        int threads,
        boolean keepalive,
        Arrival arrival,
        Duration timeout,
        List<InetAddress> sources,
        int portMin,
        int portMax,
        Runnable enterThread,
        int[] cpus,
        EngineChoice engine) {

    public LoadPlan {
        if (target.isUnresolved() || connections < 1 || threads < 1 || timeout.isNegative()) {
            throw new IllegalArgumentException("not a plan that can be driven");
        }
        if (portMin < 0 || portMax > 65_535 || portMin > portMax) {
            throw new IllegalArgumentException("not a port range: " + portMin + "-" + portMax);
        }
        headers = Map.copyOf(headers);
        sources = List.copyOf(sources);
        threads = arrival instanceof Arrival.Lockstep ? 1 : Math.min(threads, connections);
    }

    /// The same load by one connection, sent one after the other.
    LoadPlan alone() {
        return new LoadPlan(
                target,
                hostHeader,
                method,
                pathAndQuery,
                headers,
                body,
                1,
                1,
                keepalive,
                new Arrival.Closed(),
                timeout,
                sources,
                portMin,
                portMax,
                enterThread,
                cpus,
                engine);
    }

    long timeoutNanos() {
        return Math.min(timeout.toMillis() * 1_000_000L, Tally.NANOS_MAX);
    }

    boolean lockstep() {
        return arrival instanceof Arrival.Lockstep;
    }
}
