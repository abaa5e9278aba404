package wallfinder.synthetic;

/// The addresses and ports of connections, by arithmetic in both directions, so that nothing is
/// stored or searched. Destination ports vary first, then source ports, then source addresses. Each
/// connection always has the same tuple, so it never meets the TIME-WAIT of another.
///
/// @param server IPv4 address of the server
/// @param serverPort its first port
/// @param client our first IPv4 address
/// @param clientPort first port of each of our addresses
public record Tuples(
        int server,
        int serverPort,
        int serverPorts,
        int client,
        int clients,
        int clientPort,
        int clientPorts) {
    private static final int PORT_MAX = 65_535;
    private static final int NONE = -1;

    public Tuples {
        boolean ports = inRange(serverPort, serverPorts) && inRange(clientPort, clientPorts);
        boolean ours = Integer.compareUnsigned(server - client, clients) < 0;
        if (!ports || clients < 1 || ours) {
            throw new IllegalArgumentException("the addresses or ports are out of range");
        }
    }

    private static boolean inRange(int first, int count) {
        return first > 0 && count > 0 && first + count - 1 <= PORT_MAX;
    }

    public long size() {
        return (long) serverPorts * clientPorts * clients;
    }

    int serverPort(int slot) {
        return serverPort + slot % serverPorts;
    }

    int clientPort(int slot) {
        return clientPort + slot / serverPorts % clientPorts;
    }

    int client(int slot) {
        return client + slot / serverPorts / clientPorts;
    }

    /// The connection of a segment, or -1.
    int slot(Segment in, int connections) {
        int address = in.destination - client;
        int port = in.destinationPort - clientPort;
        int remote = in.sourcePort - serverPort;
        boolean known =
                in.source == server
                        && address >= 0
                        && address < clients
                        && port >= 0
                        && port < clientPorts
                        && remote >= 0
                        && remote < serverPorts;
        long slot = ((long) address * clientPorts + port) * serverPorts + remote;
        return known && slot < connections ? (int) slot : NONE;
    }
}
