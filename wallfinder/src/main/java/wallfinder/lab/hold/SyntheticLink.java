package wallfinder.lab.hold;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.synthetic.Link;

/// The link to synthetic peers, in this process's network namespace, which must not be the host's.
final class SyntheticLink {
    private static final Path OURS = Path.of("/proc/self/ns/net");
    private static final Path HOSTS = Path.of("/proc/1/ns/net");

    /// The default number of peers. Their addresses follow the server's address.
    private static final int PEERS = 250;

    private SyntheticLink() {}

    /// Creates the link. The kernel's end gets the target's address.
    static Link open(InetSocketAddress target, List<InetAddress> peers) {
        checkNamespace();
        int server = number(target.getAddress());
        int differing = 0;
        for (InetAddress peer : peers) {
            differing |= number(peer) ^ server;
        }
        if (peers.contains(target.getAddress())) {
            throw new UsageException(
                    "the server's address cannot be a peer's",
                    "--source contains " + target.getAddress().getHostAddress(),
                    "give other addresses");
        }
        return Link.open(target.getAddress(), Integer.numberOfLeadingZeros(differing));
    }

    private static void checkNamespace() {
        boolean hosts;
        try {
            hosts = Files.readSymbolicLink(OURS).equals(Files.readSymbolicLink(HOSTS));
        } catch (IOException e) {
            hosts = false; // Unreadable without a permission. The kernel then decides about the
            // link.
        }
        if (hosts) {
            throw new EnvironmentException(
                    "--synthetic needs a separate network namespace",
                    "this is the host's namespace, and Wallfinder changes nothing there",
                    "run the server and this command inside one: unshare -n sh -c 'SERVER & ...'");
        }
    }

    /// The addresses of the peers.
    static List<InetAddress> peers(InetSocketAddress target, List<InetAddress> given) {
        if (!given.isEmpty()) {
            return given;
        }
        int server = number(target.getAddress());
        List<InetAddress> peers = new ArrayList<>();
        for (int i = 1; i <= PEERS; i++) {
            peers.add(address(server + i));
        }
        return peers;
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(number).array());
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    private static int number(InetAddress address) {
        if (!(address instanceof Inet4Address)) {
            throw new UsageException(
                    "--synthetic cannot use " + address.getHostAddress(),
                    "synthetic peers speak IPv4",
                    "give an IPv4 address, as in tcp://198.51.100.1:8000");
        }
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }
}
