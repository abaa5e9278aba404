package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import wallfinder.linux.DescriptorTable;
import wallfinder.linux.EnvironmentException;

/// Where the connections of a plan find their descriptors and ports.
///
/// @param limit on the descriptors of one table
/// @param open in the table that all threads share
record Room(LoadPlan plan, long limit, int open) {
    /// What the rest of the process may open during a load, by a wide margin.
    private static final int RESERVE = 256;

    /// A thread's ring or epoll, and its clocks.
    private static final int OF_A_THREAD = 8;

    static Room of(LoadPlan plan) {
        return new Room(plan, DescriptorTable.limit(), DescriptorTable.open());
    }

    /// The most connections that so many threads can hold.
    static long connectionsMax(int threads) {
        long limit = DescriptorTable.limit();
        int open = DescriptorTable.open();
        long together = limit - open - RESERVE - (long) threads * OF_A_THREAD;
        return Math.max(Math.max(1, together), threads * (limit - open - OF_A_THREAD));
    }

    /// Whether each thread needs a table of its own.
    boolean tablesOfTheirOwn() {
        long used = (long) open + RESERVE + (long) plan.threads() * OF_A_THREAD;
        return plan.connections() > limit - used;
    }

    /// The most connections of one thread with a table of its own.
    private long tableMax() {
        return Math.max(0, limit - open - OF_A_THREAD);
    }

    /// @throws EnvironmentException if the plan cannot be held
    void check() {
        checkDescriptors();
        Sources sources = plan.sources();
        if (sources.portMin() > 0 && plan.target() instanceof InetSocketAddress target) {
            checkPorts(sources, target);
        }
    }

    private int mostOfAThread() {
        return (plan.connections() + plan.threads() - 1) / plan.threads();
    }

    private void checkDescriptors() {
        if (!tablesOfTheirOwn() || mostOfAThread() <= tableMax()) {
            return;
        }
        long most = Math.max(1, tableMax());
        long threads = (plan.connections() + most - 1) / most;
        throw new EnvironmentException(
                told("%,d connections do not fit the limit on descriptors", plan.connections()),
                told(
                        "an engine thread can hold %,d of them (ulimit -n is %,d), and with -t %d"
                                + " that makes %,d",
                        tableMax(), limit, plan.threads(), plan.threads() * tableMax()),
                plan.lockstep()
                        ? "use fewer connections, or raise ulimit -n: lockstep has one thread"
                        : told("use -t %d or more, or raise ulimit -n", threads));
    }

    /// Threads share the ports of each source address, see [SourcePlan#share]; the target's own
    /// address and port may be among them.
    private void checkPorts(Sources sources, InetSocketAddress target) {
        int addresses = Math.max(1, sources.addresses().size());
        long ports = sources.portMax() - sources.portMin() + 1L;
        long ofAThread = addresses * Math.max(1, ports / plan.threads());
        if (mostOfAThread() <= ofAThread) {
            return;
        }
        long needed = (mostOfAThread() * (long) plan.threads() + ports - 1) / ports;
        needed += needed * (ports / plan.threads()) * plan.threads() < plan.connections() ? 1 : 0;
        throw new EnvironmentException(
                told(
                        "%,d connections to %s do not fit the local ports",
                        plan.connections(), target.getAddress().getHostAddress()),
                told(
                        "%s has %,d ports (%d-%d, see net.ipv4.ip_local_port_range) towards one"
                                + " address",
                        addresses == 1 ? "one source address" : addresses + " source addresses",
                        addresses * ports,
                        sources.portMin(),
                        sources.portMax()),
                advice(sources, target.getAddress(), needed));
    }

    /// The whole of 127.0.0.0/8 is this host's own.
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
        return told("use --source A-B with %d addresses of this host, or a wider range", needed);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would cost a dependency
    private static String told(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    /// Opens what threads with tables of their own would otherwise open on their own side and then
    /// share by a number that means nothing to the others: the archives of the classes, and the
    /// sources of randomness.
    static void openShared() {
        for (Class<?> one : List.of(Room.class, Histogram.class)) {
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
