package wallfinder.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.synthetic.Link;
import wallfinder.synthetic.Peers;
import wallfinder.synthetic.Tuples;

/// Everything that is to be known before connections are held.
///
/// @param threads that drive
/// @param target the first port, resolved
/// @param sources with ports: pairs of address and port are handed out, not searched for
/// @param link null, or what leads to synthetic peers, which one thread drives
public record HoldPlan(
        HoldSpec spec,
        int threads,
        InetSocketAddress target,
        Sources sources,
        EngineThreads engineThreads,
        @Nullable Link link) {
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
        return new HoldPlan(spec, threads(spec), target, sources, threads, null);
    }

    private static int threads(HoldSpec spec) {
        int count =
                spec.threads() > 0
                        ? spec.threads()
                        : SocketBudget.threadsNeeded(spec.connections());
        return Math.min(count, spec.connections());
    }

    /// How many source addresses so many connections need, where each has these ports: threads
    /// share the ports of each, see [SourcePlan#share].
    public static int sourcesNeeded(HoldSpec spec, int portMin, int portMax) {
        int threads = threads(spec);
        long ofOne = (long) Math.max(1, (portMax - portMin + 1) / threads) * spec.ports();
        long ofAThread = (spec.connections() + threads - 1L) / threads;
        return (int) Math.max(1, (ofAThread + ofOne - 1) / ofOne);
    }

    /// With peers that are no sockets.
    ///
    /// @param sources one address after the other
    public static HoldPlan synthetic(
            HoldSpec spec,
            InetSocketAddress target,
            Sources sources,
            EngineThreads threads,
            Link link) {
        return new HoldPlan(spec, 1, target, sources, threads, link);
    }

    /// The addresses and ports of synthetic peers.
    Tuples tuples() {
        return new Tuples(
                number(target.getAddress()),
                target.getPort(),
                spec.ports(),
                number(sources.addresses().getFirst()),
                sources.addresses().size(),
                sources.portMin(),
                sources.portMax() - sources.portMin() + 1);
    }

    private static int number(InetAddress address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    /// @throws EnvironmentException if there are more connections than addresses and ports
    void checkTuples() {
        long most = Math.min(tuples().size(), Peers.SIZE_MAX);
        if (spec.connections() > most) {
            throw new EnvironmentException(
                    spec.connections() + " connections have no addresses and ports",
                    "there are " + most + " of them",
                    "give more addresses with --source, or more ports of the server");
        }
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
