package wallfinder.load;

import java.net.InetSocketAddress;
import wallfinder.experiment.HoldSpec;

/// Everything that is to be known before connections are held.
///
/// @param threads that drive
/// @param target the first port, resolved
/// @param sources with ports: pairs of address and port are handed out, not searched for
public record HoldPlan(
        HoldSpec spec,
        int threads,
        InetSocketAddress target,
        Sources sources,
        EngineThreads engineThreads) {
    private static final int FINE_THREADS_MAX = 8;

    public HoldPlan {
        boolean nothing = spec.connections() < 1 || spec.ports() < 1 || threads < 1;
        if (target.isUnresolved() || nothing || threads > spec.connections()) {
            throw new IllegalArgumentException("not a plan that can be held");
        }
    }

    /// With as many threads as were asked for, else as many as the descriptors need.
    public static HoldPlan of(
            HoldSpec spec, InetSocketAddress target, Sources sources, EngineThreads threads) {
        int count = spec.threads() > 0 ? spec.threads() : Room.threadsNeeded(spec.connections());
        return new HoldPlan(spec, Math.min(count, spec.connections()), target, sources, threads);
    }

    /// Of the histograms of each thread: many threads have many of them.
    int digits() {
        return threads > FINE_THREADS_MAX ? 2 : 3;
    }

    /// The number of a thread's first connection.
    int first(int thread) {
        return (int) ((long) spec.connections() * thread / threads);
    }

    /// How many connections are a thread's.
    int share(int thread) {
        return first(thread + 1) - first(thread);
    }
}
