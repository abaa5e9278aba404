package wallfinder.sandbox;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.SandboxSpec;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;

/// The network of the host, whose settings stay as they are: the loopback with both ends, or one of
/// two hosts.
///
/// @param why there are no namespaces; null on one of two hosts
/// @param hosts null on the loopback
record HostNetwork(SandboxSpec spec, @Nullable String why, @Nullable TwoHosts hosts)
        implements Network {
    /// A namespace has only sysctls that its host has, too.
    static void checkKnown(String sysctl) {
        if (!Sysctls.exists(sysctl) && !Sysctls.hidden(sysctl)) {
            throw Sysctls.unknown(sysctl);
        }
    }

    @Override
    public String isolation() {
        return "host";
    }

    @Override
    public List<Caveat> caveats() {
        List<Caveat> caveats = new ArrayList<>();
        if (why != null) {
            caveats.add(Doubt.NO_NAMESPACES.caveat(why));
        }
        boolean resolver = false;
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            if (hosts == null || hosts.here() == end) {
                notApplied(end.word(), spec.sysctls(end == End.SERVER), caveats);
                resolver |= spec.resolver(end == End.SERVER) != null;
            }
        }
        if (resolver) {
            caveats.add(Doubt.RESOLVER_NOT_APPLIED.caveat());
        }
        return caveats;
    }

    private static void notApplied(String end, Map<String, String> asked, List<Caveat> caveats) {
        new TreeMap<>(asked)
                .forEach((name, value) -> {
                    if (Sysctls.hidden(name)) {
                        caveats.add(Doubt.SYSCTL_HIDDEN.about(end + "." + name, name, end, value));
                        return;
                    }
                    String inForce = Sysctls.read(name);
                    if (!inForce.equals(Sysctls.normal(value))) {
                        caveats.add(
                                Doubt.SYSCTL_NOT_APPLIED.about(
                                        end + "." + name, name, end, inForce, value));
                    }
                });
    }

    @Override
    public void enter(End end) {}

    @Override
    public <T extends @Nullable Object> T inside(End end, Callable<T> work) {
        return NetworkNamespace.onFreshThread(work);
    }

    @Override
    public Path procNet(End end) {
        return Path.of("/proc", Long.toString(holderTid(end)), "net");
    }

    @Override
    public long holderTid(End end) {
        return ProcessHandle.current().pid();
    }

    @Override
    public @Nullable Path namespaceFile(End end) {
        return null;
    }

    @Override
    public String address(End end) {
        if (hosts != null) {
            return hosts.address(end);
        }
        return spec.v6() ? "::1" : "127.0.0.1";
    }

    /// All addresses of 127.0.0.0/8 exist, but only one of IPv6.
    @Override
    public List<InetAddress> sourceAddresses(int count) {
        if (hosts != null) {
            return List.of(InetAddress.ofLiteral(hosts.client()));
        }
        if (spec.v6()) {
            return List.of(InetAddress.ofLiteral("::1"));
        }
        List<InetAddress> addresses = new ArrayList<>();
        try {
            for (int i = 1; i <= count; i++) {
                byte[] address = {127, 0, (byte) (i >> 8), (byte) i};
                addresses.add(InetAddress.getByAddress(address));
            }
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
        return addresses;
    }

    @Override
    public SortedMap<String, String> sysctls(End end) {
        return Sysctls.inForce(spec.sysctls(end == End.SERVER));
    }

    @Override
    public void close() {}
}
