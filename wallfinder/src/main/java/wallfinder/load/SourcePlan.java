package wallfinder.load;

/// Which (source address, source port) each new connection takes: all pairs in turn, so that a pair
/// comes again as late as possible. Left to itself, the kernel's search for a free port gets slow
/// and then fails, which would make the generator's own ports a hidden wall.
///
/// A pair is told as `address * 65536 + port`. Towards several destinations a pair is used once for
/// each, one after the other.
final class SourcePlan {
    private final int addresses;
    private final int portMin;
    private final int ports;
    private final int forbiddenAddress;
    private final int forbiddenPort;
    private final int destinations;

    /// Which of the destinations the last pair is for.
    int destination;

    private long turn;

    /// @param addresses how many source addresses there are
    /// @param forbiddenAddress the index of the one that is the target's own address, or -1: there
    ///   a connection from the target's port would connect to itself
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

    /// The part of a port range that belongs to one of several threads, which then never meet.
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

    /// How many pairs and destinations there are.
    long size() {
        return (long) addresses * ports * destinations;
    }

    /// The next pair, or -1 if the only one there is must not be used.
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
