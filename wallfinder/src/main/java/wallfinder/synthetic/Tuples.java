package wallfinder.synthetic;

/// Which addresses and ports each connection has: all by arithmetic, both ways, so that nothing is
/// kept and nothing is searched for. Destination ports go round first, then source ports, then
/// source addresses. No two connections share a tuple and none changes it, so none ever meets what
/// another left behind (TIME-WAIT).
///
/// @param server the IPv4 address of the server
/// @param serverPort its first port
/// @param client the first IPv4 address of ours
/// @param clientPort the first port at each of them
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
            throw new IllegalArgumentException("not addresses and ports of connections");
        }
    }

    private static boolean inRange(int first, int count) {
        return first > 0 && count > 0 && first + count - 1 <= PORT_MAX;
    }

    /// How many connections there can be.
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

    /// Whose segment this is, of so many connections, or -1.
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
