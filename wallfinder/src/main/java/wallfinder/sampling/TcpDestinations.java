package wallfinder.sampling;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import wallfinder.linux.PortsInUse;

/// The destinations of TCP connections, by address and port.
final class TcpDestinations implements Destinations {
    private final PortsInUse ports;
    private final Map<String, InetSocketAddress> addresses = new HashMap<>();

    /// @param ports counted again before each use
    TcpDestinations(PortsInUse ports) {
        this.ports = ports;
    }

    @Override
    public List<String> most(int limit) {
        return ports.destinations(limit).stream().map(this::name).toList();
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
