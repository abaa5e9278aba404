package wallfinder.sandbox;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.SandboxSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Route;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;

/// Two anonymous network namespaces, joined by a veth pair. The addresses are reserved for
/// benchmarks of networks (RFC 2544, RFC 5180), so they cannot collide with real ones.
final class VethNetwork implements Network {
    private static final String LINK = "wf0";
    private static final int PREFIX = 15;
    private static final int PREFIX_V6 = 64;

    /// From this port on, no right is needed to listen. Here it is 0 where `/proc/sys` is writable,
    /// so that no service needs root for its port.
    private static final String LOWEST_FREE_PORT = "net.ipv4.ip_unprivileged_port_start";

    private static final Path IPV6 = Path.of("/proc/sys/net/ipv6");
    private static final String NO_IPV6 = "net.ipv6.conf.all.disable_ipv6";
    private static final String NO_IPV6_ON_NEW_LINKS = "net.ipv6.conf.default.disable_ipv6";

    private final SandboxSpec spec;
    private final NetworkNamespace server;
    private final NetworkNamespace client;
    private final boolean v6;
    private final List<Caveat> caveats = new ArrayList<>();
    private int sourceCount = Sandbox.SOURCE_ADDRESSES;

    private VethNetwork(SandboxSpec spec, NetworkNamespace server, NetworkNamespace client) {
        this.spec = spec;
        this.server = server;
        this.client = client;
        this.v6 = server.call(VethNetwork::enableIpv6) && client.call(VethNetwork::enableIpv6);
    }

    /// Joins two new namespaces. They are closed with this network, or if this fails.
    static VethNetwork open(SandboxSpec spec, NetworkNamespace server, NetworkNamespace client) {
        try {
            VethNetwork network = new VethNetwork(spec, server, client);
            network.checkIpv6();
            network.join();
            network.openLowPorts();
            network.set(End.SERVER, spec.server());
            network.set(End.CLIENT, spec.client());
            return network;
        } catch (RuntimeException e) {
            client.close();
            server.close();
            throw e;
        }
    }

    /// After a boot with `ipv6.disable_ipv6=1`, IPv6 is disabled in a new namespace.
    ///
    /// @return whether a new link in the calling thread's namespace can have IPv6 addresses
    private static boolean enableIpv6() {
        Sysctls.writeIfPossible(NO_IPV6, "0");
        return Sysctls.exists(NO_IPV6_ON_NEW_LINKS)
                && Sysctls.read(NO_IPV6_ON_NEW_LINKS).equals("0");
    }

    private void checkIpv6() {
        if (spec.v6() && !v6) {
            throw new EnvironmentException(
                    "the ends cannot have IPv6 addresses",
                    Files.exists(IPV6)
                            ? "IPv6 is disabled, and /proc/sys is not writable"
                            : "this kernel has no IPv6: there is no " + IPV6,
                    "leave `ip: 6` out of the sandbox, or enable IPv6");
        }
    }

    private void openLowPorts() {
        inside(
                End.SERVER,
                () -> {
                    Sysctls.writeIfPossible(LOWEST_FREE_PORT, "0");
                    return true;
                });
    }

    private void join() {
        client.call(() -> {
            try (Route route = Route.open()) {
                route.createVethPair(LINK, LINK, server.descriptor());
            }
            return true;
        });
        up(server, List.of(serverAddress()), End.SERVER);
        up(client, sourcesV4(1, sourceCount), End.CLIENT);
        if (spec.v6()) {
            addSources(sources(1, sourceCount));
        }
    }

    private void up(NetworkNamespace namespace, List<InetAddress> addresses, End end) {
        namespace.call(() -> {
            try (Route route = Route.open()) {
                addresses.forEach(address -> route.add(LINK, address, PREFIX));
                if (v6) {
                    route.add(LINK, inetV6(end), PREFIX_V6);
                }
                route.up("lo");
                route.up(LINK);
            }
            return true;
        });
    }

    /// Checks all names before it sets the first value.
    private void set(End end, Map<String, String> asked) {
        SortedMap<String, String> sysctls = new TreeMap<>(asked);
        inside(
                end,
                () -> {
                    sysctls.keySet().removeIf(Sysctls::hidden);
                    sysctls.keySet().forEach(Sysctls::checkInNamespace);
                    sysctls.forEach(Sysctls::write);
                    return true;
                });
        new TreeMap<>(asked)
                .forEach((name, value) -> {
                    if (!sysctls.containsKey(name)) {
                        caveats.add(
                                Doubt.SYSCTL_HIDDEN.about(
                                        end.word() + "." + name, name, end.word(), value));
                    }
                });
    }

    private NetworkNamespace of(End end) {
        return switch (end) {
            case SERVER -> server;
            case CLIENT -> client;
            case PATH -> throw new IllegalArgumentException("the path has no namespace");
        };
    }

    @Override
    public String isolation() {
        return UserNamespace.separate() ? "user-namespaces" : "namespaces";
    }

    @Override
    public List<Caveat> caveats() {
        return List.copyOf(caveats);
    }

    @Override
    public void enter(End end) {
        of(end).enter();
    }

    @Override
    public <T extends @Nullable Object> T inside(End end, Callable<T> work) {
        return of(end).call(work);
    }

    @Override
    public Path procNet(End end) {
        return of(end).proc().resolve("net");
    }

    @Override
    public long holderTid(End end) {
        return of(end).holderTid();
    }

    @Override
    public Path namespaceFile(End end) {
        return of(end).proc().resolve("ns/net");
    }

    @Override
    public String address(End end) {
        InetAddress ofServer = spec.v6() ? inetV6(End.SERVER) : serverAddress();
        InetAddress address = end == End.SERVER ? ofServer : sources(1, 1).getFirst();
        return address.getHostAddress();
    }

    private static InetAddress serverAddress() {
        return inet(198, 18, 0, 1);
    }

    @Override
    public synchronized List<InetAddress> sourceAddresses(int count) {
        if (count > sourceCount) {
            addSources(sources(sourceCount + 1, count));
            sourceCount = count;
        }
        return sources(1, count);
    }

    private void addSources(List<InetAddress> addresses) {
        client.call(() -> {
            try (Route route = Route.open()) {
                int prefix = spec.v6() ? PREFIX_V6 : PREFIX;
                addresses.forEach(address -> route.add(LINK, address, prefix));
            }
            return true;
        });
    }

    private List<InetAddress> sources(int first, int last) {
        return spec.v6() ? sourcesV6(first, last) : sourcesV4(first, last);
    }

    private static List<InetAddress> sourcesV6(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number ->
                        inet(
                                0x20,
                                0x01,
                                0,
                                2,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                1,
                                number >> 8,
                                number & 0xFF))
                .toList();
    }

    private static List<InetAddress> sourcesV4(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number -> inet(198, 19, number >> 8, number & 0xFF))
                .toList();
    }

    private static InetAddress inetV6(End end) {
        // 2001:2::/48
        int last = end == End.SERVER ? 1 : 2;
        return inet(0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last);
    }

    private static InetAddress inet(int... parts) {
        byte[] bytes = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
            bytes[i] = (byte) parts[i];
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("four or sixteen bytes are an address", e);
        }
    }

    @Override
    public SortedMap<String, String> sysctls(End end) {
        Map<String, String> asked = end == End.SERVER ? spec.server() : spec.client();
        return inside(end, () -> Sysctls.inForce(asked));
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
