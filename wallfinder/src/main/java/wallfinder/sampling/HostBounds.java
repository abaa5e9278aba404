package wallfinder.sampling;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.HostUnits;
import wallfinder.linux.KernelFile;
import wallfinder.linux.Listener;
import wallfinder.linux.PortsInUse;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.Bound.Setter;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;

/// The current limits of a host and of the calling thread's network namespace.
public record HostBounds(End end, SettingOrigin origin) {
    private static final Path PROC_SYS = Path.of("/proc/sys");
    private static final Path PROC_NET = Path.of("/proc/thread-self/net");
    private static final String RANGE = "net.ipv4.ip_local_port_range";
    private static final String TABLE = "net.ipv4.tcp_ehash_entries";
    private static final String TCP_MEMORY = "net.ipv4.tcp_mem";
    private static final String WIDEST = "1024 65535";

    /// `TCP_TIMEWAIT_LEN`, include/net/tcp.h. No setting changes it.
    private static final double TIME_WAIT_SECONDS = 60;

    /// The local ports for a destination, and how long closed connections keep their ports.
    ///
    /// @param target null means the destination with the most ports in use
    /// @param loopback whether the destination is on the loopback, where `tcp_tw_reuse` 2 lets
    ///   ports be reused
    public List<Bound> ports(@Nullable InetSocketAddress target, boolean loopback) {
        LocalPortRange range = LocalPortRange.read(PROC_SYS.resolve("net"));
        PortsInUse held = new PortsInUse();
        try (SockDiag sockets = SockDiag.open()) {
            sockets.portsInUse(range.portMin(), range.portMax(), held);
        }
        int used = target == null ? held.busiestUsed() : held.used(target);
        String value = range.portMin() + " " + range.portMax();
        Setter setter = origin.of(RANGE, value);
        List<String> widen =
                value.equals(WIDEST)
                        ? List.of()
                        : setter.commands().stream()
                                .map(command -> command.replace("{to}", '"' + WIDEST + '"'))
                                .toList();
        return List.of(
                new Bound(
                        Kind.LOCAL_PORTS,
                        end,
                        range.size(),
                        used,
                        holdSeconds(loopback),
                        new Setter(setter.origin(), widen),
                        path(RANGE).toString()));
    }

    /// With `tcp_tw_reuse` ports in TIME_WAIT can be reused after a second (`tcp_twsk_unique`,
    /// net/ipv4/tcp_ipv4.c).
    private static double holdSeconds(boolean loopback) {
        int reuse = (int) number("net.ipv4.tcp_tw_reuse").orElse(0.0).doubleValue();
        boolean reused = reuse == 1 || (reuse == 2 && loopback);
        double delay = number("net.ipv4.tcp_tw_reuse_delay").orElse(1000.0) / 1e3;
        return reused ? Math.max(1, delay) : TIME_WAIT_SECONDS;
    }

    public List<Bound> network() {
        List<Bound> bounds = new ArrayList<>();
        setting(
                Kind.TIME_WAIT_SOCKETS,
                "net.ipv4.tcp_max_tw_buckets",
                sockstat(KernelCounter.TIME_WAIT),
                TIME_WAIT_SECONDS,
                bounds);
        setting(
                Kind.TRACKED_CONNECTIONS,
                "net.netfilter.nf_conntrack_max",
                number("net.netfilter.nf_conntrack_count").orElse(Double.NaN),
                number("net.netfilter.nf_conntrack_tcp_timeout_time_wait").orElse(120.0),
                bounds);
        return bounds;
    }

    /// Whether this network namespace has its own connection table. The setting is negative in a
    /// namespace that shares the host's table (Documentation/networking/ip-sysctl.rst).
    public static boolean ownTable() {
        return number(TABLE).orElse(1.0) > 0;
    }

    /// The kernel's connection table. The host's table contains all sockets of the host.
    ///
    /// @param both whether the table contains both ends of the planned connections
    public List<Bound> table(boolean both) {
        boolean own = ownTable();
        double used =
                own
                        ? sockstat(KernelCounter.TCP_IN_USE) + sockstat(KernelCounter.TIME_WAIT)
                        : sockstat(KernelCounter.TCP_ALLOCATED);
        Setter setter =
                new Setter(
                        own
                                ? "the kernel, at boot or when the namespace was created"
                                : "the host's kernel, whose table this namespace shares",
                        List.of(
                                "thash_entries={to} on the kernel's command line",
                                "sysctl -w net.ipv4.tcp_child_ehash_entries={to}, and then a new"
                                        + " network namespace"));
        return number(TABLE).stream()
                .map(buckets ->
                        new Bound(
                                both ? Kind.SOCKET_BUCKETS_OF_BOTH : Kind.SOCKET_BUCKETS,
                                end,
                                Math.abs(buckets),
                                used,
                                0,
                                setter,
                                path(TABLE).toString()))
                .toList();
    }

    public List<Bound> host() {
        List<Bound> bounds = new ArrayList<>();
        double open = number("fs.file-nr").orElse(Double.NaN);
        setting(Kind.HOST_FILES, "fs.file-max", open, 0, bounds);
        setting(Kind.EPOLL_WATCHES, "fs.epoll.max_user_watches", Double.NaN, 0, bounds);
        setting(Kind.HOST_TASKS, "kernel.threads-max", tasks(), 0, bounds);
        setting(Kind.HOST_TASKS, "kernel.pid_max", tasks(), 0, bounds);
        read(path(TCP_MEMORY)).ifPresent(value -> bounds.add(tcpMemory(value)));
        return bounds;
    }

    private Bound tcpMemory(String value) {
        String[] pages = value.split("\\s+");
        List<String> raise = List.of("sysctl -w " + TCP_MEMORY + "=\"LOW PRESSURE MAX\"");
        return new Bound(
                Kind.TCP_BUFFERS,
                end,
                Double.parseDouble(pages[pages.length - 1]) * HostUnits.PAGE_BYTES,
                sockstat(KernelCounter.TCP_PAGES) * HostUnits.PAGE_BYTES,
                0,
                new Setter(origin.of(TCP_MEMORY, value).origin(), raise),
                path(TCP_MEMORY).toString());
    }

    public List<Bound> listeners(int port) {
        double most = number("net.core.somaxconn").orElse(Double.NaN);
        List<Bound> bounds = new ArrayList<>();
        try (SockDiag sockets = SockDiag.open()) {
            for (Listener listener : sockets.listeners()) {
                if (listener.port() == port) {
                    bounds.add(queue(listener, most));
                }
            }
        }
        return bounds;
    }

    /// The smaller of somaxconn and the service's backlog limits the queue. A limit below somaxconn
    /// is therefore the service's backlog.
    private Bound queue(Listener listener, double most) {
        String own = "the service's own backlog: raise it to {to} and restart the service";
        Setter kernel = origin.of("net.core.somaxconn", wholeNumber(most));
        String raise = kernel.commands().getFirst();
        Setter setter =
                listener.limit() >= most
                        ? new Setter(kernel.origin(), List.of(raise, own))
                        : new Setter(
                                "the service, listen(..., " + listener.limit() + ")",
                                List.of(own, raise + ", if it is less"));
        return new Bound(
                Kind.ACCEPT_QUEUE,
                end,
                listener.limit(),
                listener.queue(),
                0,
                setter,
                "sock_diag, as ss -ltn shows it for port " + listener.port());
    }

    private static String wholeNumber(double value) {
        return Double.isNaN(value) ? "" : Long.toString((long) value);
    }

    private void setting(Kind kind, String name, double inUse, double hold, List<Bound> bounds) {
        number(name)
                .ifPresent(limit ->
                        bounds.add(
                                new Bound(
                                        kind,
                                        end,
                                        limit,
                                        inUse,
                                        hold,
                                        origin.of(name, wholeNumber(limit)),
                                        path(name).toString())));
    }

    /// The first number of a setting; empty if the kernel does not have the setting.
    static Optional<Double> number(String name) {
        return read(path(name)).map(value -> Double.parseDouble(value.split("\\s+")[0]));
    }

    /// Whether the calling thread's network namespace has a value of its own. A namespace shows
    /// some values of the host, but cannot change them.
    public static boolean isOfNamespace(String name) {
        return name.startsWith("net.") && Files.isWritable(path(name));
    }

    private static Path path(String name) {
        return PROC_SYS.resolve(name.replace('.', '/'));
    }

    private static Optional<String> read(Path path) {
        try {
            String value = KernelFile.read(path);
            return value.isEmpty() ? Optional.empty() : Optional.of(value);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// The fourth word of `/proc/loadavg` is `RUNNING/ALL`.
    private static double tasks() {
        return read(Path.of("/proc/loadavg"))
                .map(line -> line.split("\\s+")[3].split("/")[1])
                .map(Double::parseDouble)
                .orElse(Double.NaN);
    }

    private double sockstat(KernelCounter key) {
        try (SockstatReader reader = new SockstatReader(PROC_NET, end)) {
            List<Counter> counters = reader.counters();
            double[] values = new double[counters.size()];
            reader.read(values, 0);
            for (int i = 0; i < values.length; i++) {
                if (counters.get(i).key().equals(key)) {
                    return values[i];
                }
            }
            return Double.NaN;
        }
    }
}
