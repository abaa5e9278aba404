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

/// Everything a run needs to know before it opens connections to hold.
///
/// @param threads that drive
/// @param target the first port, resolved
/// @param sources with ports, pairs of address and port take turns instead of being searched
/// @param link to synthetic peers, driven by one thread; null: sockets
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
            throw new IllegalArgumentException("not a valid plan");
        }
    }

    /// A plan with the requested number of threads, or as many as the descriptors need.
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

    /// How many source addresses are needed if each has these ports. The threads share the ports of
    /// each address, see [SourcePlan#share].
    public static int sourcesNeeded(HoldSpec spec, int portMin, int portMax) {
        int threads = threads(spec);
        long ofOne = (long) Math.max(1, (portMax - portMin + 1) / threads) * spec.ports();
        long ofAThread = (spec.connections() + threads - 1L) / threads;
        return (int) Math.max(1, (ofAThread + ofOne - 1) / ofOne);
    }

    /// A plan with synthetic peers.
    ///
    /// @param sources consecutive addresses
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
                    "there are only " + most,
                    "give more addresses with --source, or more ports of the server");
        }
    }

    /// The precision of the histograms: each thread has its own, so many threads use less.
    int digits() {
        return threads > FINE_THREADS_MAX ? 2 : 3;
    }

    int first(int thread) {
        return (int) ((long) spec.connections() * thread / threads);
    }

    int share(int thread) {
        return first(thread + 1) - first(thread);
    }
}
