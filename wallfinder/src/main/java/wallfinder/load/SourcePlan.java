package wallfinder.load;

/// Which (source address, source port) each new connection takes: all pairs in turn, so that a pair
/// comes again as late as possible. Left to itself, the kernel's search for a free port gets slow
/// and then fails, which would make the generator's own ports a hidden wall.
///
/// A pair is told as `address * 65536 + port`.
final class SourcePlan {
    private final int addresses;
    private final int portMin;
    private final int ports;
    private final int forbiddenAddress;
    private final int forbiddenPort;
    private long turn;

    /// @param addresses how many source addresses there are
    /// @param forbiddenAddress the index of the one that is the target's own address, or -1: there
    ///   a connection from the target's port would connect to itself
    SourcePlan(int addresses, int portMin, int portMax, int forbiddenAddress, int forbiddenPort) {
        if (addresses < 1 || portMin < 1 || portMax < portMin) {
            throw new IllegalArgumentException("no source ports");
        }
        this.addresses = addresses;
        this.portMin = portMin;
        this.ports = portMax - portMin + 1;
        this.forbiddenAddress = forbiddenAddress;
        this.forbiddenPort = forbiddenPort;
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

    /// The next pair, or -1 if the only one there is must not be used.
    int next() {
        int pair = take();
        return forbidden(pair) ? ifAllowed(take()) : pair;
    }

    private int ifAllowed(int pair) {
        return forbidden(pair) ? -1 : pair;
    }

    private int take() {
        int address = (int) (turn % addresses);
        int port = portMin + (int) (turn / addresses % ports);
        turn++;
        return address << 16 | port;
    }

    private boolean forbidden(int pair) {
        return address(pair) == forbiddenAddress && port(pair) == forbiddenPort;
    }

    static int address(int pair) {
        return pair >>> 16;
    }

    static int port(int pair) {
        return pair & 0xFFFF;
    }
}
