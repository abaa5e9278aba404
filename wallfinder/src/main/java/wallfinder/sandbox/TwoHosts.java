package wallfinder.sandbox;

import wallfinder.observation.End;

/// The two ends of a sandbox whose services run on another host than the load. Each host has a
/// sandbox for its own end, on the network that it has.
///
/// @param here the end on this host
/// @param server the address of the services' host, as the load's host reaches it
/// @param client the address of the load's host, as the services' host sees it
public record TwoHosts(End here, String server, String client) {
    String address(End end) {
        return end == End.SERVER ? server : client;
    }
}
