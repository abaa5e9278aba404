package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import wallfinder.linux.PortsInUse;

/// The destinations of TCP connections, by address and port. A service that consists of several
/// processes may ask itself. What happens there shows in its own threads and queues, so its own
/// places are left out.
final class TcpDestinations implements Destinations {
    private final PortsInUse ports;
    private final Set<Integer> ownPorts;
    private final Map<String, InetSocketAddress> addresses = new HashMap<>();

    /// @param ports counted again before each use
    /// @param ownPorts on which the service itself listens
    TcpDestinations(PortsInUse ports, Set<Integer> ownPorts) {
        this.ports = ports;
        this.ownPorts = ownPorts;
    }

    @Override
    public List<String> most(int limit) {
        return ports.destinations(limit + ownPorts.size()).stream()
                .filter(one -> !(ownPorts.contains(one.getPort()) && ports.isLocal(one)))
                .limit(limit)
                .map(this::name)
                .toList();
    }

    private String name(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        String name = (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
        addresses.put(name, address);
        return name;
    }

    private InetSocketAddress address(String name) {
        return Objects.requireNonNull(addresses.get(name), name);
    }

    @Override
    public int connected(String name) {
        return ports.connected(address(name));
    }

    @Override
    public double busy(String name) {
        return ports.busy(address(name));
    }

    @Override
    public String kind() {
        return "";
    }

    @Override
    public double unseen() {
        return 0;
    }
}
