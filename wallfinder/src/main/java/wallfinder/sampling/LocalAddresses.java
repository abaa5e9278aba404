package wallfinder.sampling;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

public final class LocalAddresses {
    private LocalAddresses() {}

    /// Whether packets to this address stay on this host, in the namespace of this thread.
    public static boolean isLocal(InetAddress address) {
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false; // no interface at all
        }
    }
}
