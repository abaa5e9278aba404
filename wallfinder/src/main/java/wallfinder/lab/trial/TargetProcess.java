package wallfinder.lab.trial;

import java.net.InetSocketAddress;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalAddresses;
import wallfinder.sandbox.NeighbourNetworks;
import wallfinder.sandbox.Residence;

/// The process that gets the connections to an address.
public sealed interface TargetProcess {
    /// It runs on this host, perhaps in another network namespace.
    record Found(long pid) implements TargetProcess {}

    /// It runs on this host.
    ///
    /// @param reason why it is unknown, without a full stop
    record Unknown(String reason) implements TargetProcess {}

    /// It runs in a container of this host, or on another host.
    ///
    /// @param reason why this is unknown, without a full stop
    record Unclear(String reason) implements TargetProcess {}

    /// It runs on another host.
    record Elsewhere() implements TargetProcess {}

    /// Looks on this host, and connects if the address is not one of our own network namespace.
    static TargetProcess of(InetSocketAddress target) {
        if (LocalAddresses.isLocal(target.getAddress())) {
            return process(Listeners.ownerOf(target));
        }
        return switch (NeighbourNetworks.of(target)) {
            case NeighbourNetworks.Place.Inside(Residence network) ->
                    process(inside(network, target));
            case NeighbourNetworks.Place.Elsewhere _ -> new Elsewhere();
            case NeighbourNetworks.Place.Hidden _ ->
                    new Unclear(
                            "if it runs in a container of this host, only root can look into the container's network: run as root");
        };
    }

    private static Listeners.Owner inside(Residence network, InetSocketAddress target) {
        try (network) {
            return network.inside(() -> Listeners.ownerOf(target));
        }
    }

    private static TargetProcess process(Listeners.Owner owner) {
        return switch (owner) {
            case Listeners.Owner.Found found -> new Found(found.pid());
            case Listeners.Owner.Unknown unknown -> new Unknown(unknown.reason());
        };
    }
}
