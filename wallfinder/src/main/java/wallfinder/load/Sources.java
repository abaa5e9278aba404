package wallfinder.load;

import java.net.InetAddress;
import java.util.List;

/// The source addresses and ports of connections.
///
/// @param addresses empty: the kernel chooses
/// @param portMin first port, or 0: the kernel chooses
/// @param portMax last port
public record Sources(List<InetAddress> addresses, int portMin, int portMax) {
    public static final Sources ANY = new Sources(List.of(), 0, 0);

    public Sources {
        addresses = List.copyOf(addresses);
        if (portMin < 0 || portMax > 65_535 || portMin > portMax) {
            throw new IllegalArgumentException("not a port range: " + portMin + "-" + portMax);
        }
    }

    /// The ports of one of several processes on a host, which would take each other's otherwise.
    public Sources ports(Share share) {
        if (portMin == 0) {
            return this;
        }
        int[] own = SourcePlan.share(portMin, portMax, share.place(), share.count());
        return new Sources(addresses, own[0], own[1]);
    }
}
