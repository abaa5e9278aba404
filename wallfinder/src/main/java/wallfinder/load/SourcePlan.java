package wallfinder.load;

/// Chooses the (source address, source port) of each new connection. All pairs take turns, so that
/// a pair is reused as late as possible. Without a plan, the kernel's search for a free port
/// becomes slow and then fails, and the generator's own ports become a hidden wall.
///
/// A pair is encoded as `address * 65536 + port`. With several destinations, a pair is used once
/// for each, one after the other.
final class SourcePlan {
    private final int addresses;
    private final int portMin;
    private final int ports;
    private final int forbiddenAddress;
    private final int forbiddenPort;
    private final int destinations;

    /// The destination of the last pair.
    int destination;

    private long turn;

    /// @param addresses how many source addresses there are
    /// @param forbiddenAddress index of the target's own address, or -1: a connection from it and
    ///   the target's port would connect to itself
    /// @param destinations how many ports the target has, from `forbiddenPort` on
    SourcePlan(
            int addresses,
            int portMin,
            int portMax,
            int forbiddenAddress,
            int forbiddenPort,
            int destinations) {
        if (addresses < 1 || portMin < 1 || portMax < portMin || destinations < 1) {
            throw new IllegalArgumentException("no source ports");
        }
        this.addresses = addresses;
        this.portMin = portMin;
        this.ports = portMax - portMin + 1;
        this.forbiddenAddress = forbiddenAddress;
        this.forbiddenPort = forbiddenPort;
        this.destinations = destinations;
    }

    /// The part of a port range that belongs to one of several threads.
    ///
    /// @return its first and last port; the whole range if there are fewer ports than threads
    static int[] share(int portMin, int portMax, int thread, int threads) {
        int ports = portMax - portMin + 1;
        if (ports < threads) {
            return new int[] {portMin, portMax};
        }
        int first = portMin + (int) ((long) ports * thread / threads);
        int next = portMin + (int) ((long) ports * (thread + 1) / threads);
        return new int[] {first, next - 1};
    }

    /// How many combinations of pairs and destinations there are.
    long size() {
        return (long) addresses * ports * destinations;
    }

    /// The next pair, or -1 if the only pair is forbidden.
    int next() {
        int pair = take();
        return forbidden(pair) ? ifAllowed(take()) : pair;
    }

    private int ifAllowed(int pair) {
        return forbidden(pair) ? -1 : pair;
    }

    private int take() {
        destination = (int) (turn % destinations);
        long pair = turn / destinations;
        int address = (int) (pair % addresses);
        int port = portMin + (int) (pair / addresses % ports);
        turn++;
        return address << 16 | port;
    }

    private boolean forbidden(int pair) {
        return address(pair) == forbiddenAddress && port(pair) == forbiddenPort + destination;
    }

    static int address(int pair) {
        return pair >>> 16;
    }

    static int port(int pair) {
        return pair & 0xFFFF;
    }
}
