package wallfinder.load;

import java.net.InetAddress;
import java.util.List;

/// Where connections come from.
///
/// @param addresses empty: the kernel chooses
/// @param portMin the first port, or 0: the kernel chooses
/// @param portMax the last port
public record Sources(List<InetAddress> addresses, int portMin, int portMax) {
    /// The kernel chooses.
    public static final Sources ANY = new Sources(List.of(), 0, 0);

    public Sources {
        addresses = List.copyOf(addresses);
        if (portMin < 0 || portMax > 65_535 || portMin > portMax) {
            throw new IllegalArgumentException("not a port range: " + portMin + "-" + portMax);
        }
    }
}
