package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.EnvironmentException;

/// Whether the connections of a plan fit into the descriptors and local ports of this host.
///
/// @param alone whether the load must have one thread
/// @param ports of the target, consecutive
/// @param limit on the descriptors of one table
/// @param open descriptors in the table that all threads share
record SocketBudget(
        int connections,
        int threads,
        boolean alone,
        Sources sources,
        SocketAddress target,
        int ports,
        long limit,
        int open) {
    /// A wide margin for what the rest of the process opens during a load.
    private static final int RESERVE = 256;

    /// The ring or epoll of a thread, and its clocks.
    private static final int DESCRIPTORS_PER_THREAD = 8;

    SocketBudget(LoadPlan plan, long limit, int open) {
        this(
                plan.connections(),
                plan.threads(),
                plan.arrival() instanceof Arrival.Lockstep,
                plan.sources(),
                plan.target(),
                1,
                limit,
                open);
    }

    static SocketBudget of(LoadPlan plan) {
        return new SocketBudget(plan, DescriptorTable.limit(), DescriptorTable.openCount());
    }

    static SocketBudget of(HoldPlan plan) {
        return new SocketBudget(
                plan.spec().connections(),
                plan.threads(),
                false,
                plan.sources(),
                plan.target(),
                plan.spec().ports(),
                DescriptorTable.limit(),
                DescriptorTable.openCount());
    }

    /// The fewest threads with enough descriptors for the connections.
    static int threadsNeeded(int connections) {
        long ofOne =
                Math.max(
                        1,
                        DescriptorTable.limit()
                                - DescriptorTable.openCount()
                                - DESCRIPTORS_PER_THREAD);
        return connections <= connectionsMax(1)
                ? 1
                : (int) Math.min(connections, (connections + ofOne - 1) / ofOne);
    }

    /// The most connections that this many threads can hold.
    static long connectionsMax(int threads) {
        long limit = DescriptorTable.limit();
        int open = DescriptorTable.openCount();
        long together = limit - open - RESERVE - (long) threads * DESCRIPTORS_PER_THREAD;
        return Math.max(Math.max(1, together), threads * (limit - open - DESCRIPTORS_PER_THREAD));
    }

    /// Whether each thread needs its own descriptor table.
    boolean separateTables() {
        long used = (long) open + RESERVE + (long) threads * DESCRIPTORS_PER_THREAD;
        return connections > limit - used;
    }

    /// The most connections of one thread with its own table.
    private long tableMax() {
        return Math.max(0, limit - open - DESCRIPTORS_PER_THREAD);
    }

    /// @throws EnvironmentException if the connections do not fit
    void check() {
        checkDescriptors();
        if (sources.portMin() > 0 && target instanceof InetSocketAddress inet) {
            checkPorts(inet);
        }
    }

    private int connectionsPerThread() {
        return (connections + threads - 1) / threads;
    }

    private void checkDescriptors() {
        if (!separateTables() || connectionsPerThread() <= tableMax()) {
            return;
        }
        long most = Math.max(1, tableMax());
        long needed = (connections + most - 1) / most;
        throw new EnvironmentException(
                text("%,d connections do not fit the limit on descriptors", connections),
                text(
                        "an engine thread can hold %,d of them (ulimit -n is %,d), and with -t %d"
                                + " that makes %,d",
                        tableMax(), limit, threads, threads * tableMax()),
                alone
                        ? "use fewer connections, or raise ulimit -n: lockstep has one thread"
                        : text("use -t %d or more, or raise ulimit -n", needed));
    }

    /// Threads share the ports of each source address, see [SourcePlan#share]. The target's own
    /// address and port may be among them.
    private void checkPorts(InetSocketAddress inet) {
        int addresses = Math.max(1, sources.addresses().size());
        long local = sources.portMax() - sources.portMin() + 1L;
        long ofAThread = (long) addresses * ports * Math.max(1, local / threads);
        if (connectionsPerThread() <= ofAThread) {
            return;
        }
        long pairs = local * ports;
        long needed = (connectionsPerThread() * (long) threads + pairs - 1) / pairs;
        needed += needed * ports * (local / threads) * threads < connections ? 1 : 0;
        throw new EnvironmentException(
                text(
                        "%,d connections to %s do not fit the local ports",
                        connections, inet.getAddress().getHostAddress()),
                text(
                        "%s has %,d ports (%d-%d, see net.ipv4.ip_local_port_range) towards one"
                                + " address"
                                + (ports > 1 ? " and each of its " + ports + " ports" : ""),
                        addresses == 1 ? "one source address" : addresses + " source addresses",
                        addresses * local,
                        sources.portMin(),
                        sources.portMax()),
                advice(sources, inet.getAddress(), needed));
    }

    /// All of 127.0.0.0/8 belongs to this host.
    private static String advice(Sources sources, InetAddress target, long needed) {
        boolean given = !sources.addresses().isEmpty();
        InetAddress first = given ? sources.addresses().getFirst() : target;
        byte last = first.getAddress()[first.getAddress().length - 1];
        if (first instanceof Inet4Address
                && first.isLoopbackAddress()
                && (last & 0xFF) + needed - 1 < 255) {
            String text = first.getHostAddress();
            String end =
                    text.substring(0, text.lastIndexOf('.') + 1) + ((last & 0xFF) + needed - 1);
            return "use --source " + text + "-" + end;
        }
        return text("use --source A-B with %d addresses of this host, or a wider range", needed);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would cost a dependency
    private static String text(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    /// Opens shared resources before the threads get their own tables: the class archives and the
    /// sources of randomness. Otherwise one thread would open them in its table, and the number
    /// would mean nothing in the others.
    static void openShared() {
        for (Class<?> one : List.of(SocketBudget.class, Histogram.class)) {
            try (InputStream in = one.getResourceAsStream(one.getSimpleName() + ".class")) {
                if (in != null) {
                    in.readAllBytes();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        new SecureRandom().nextInt();
    }
}
