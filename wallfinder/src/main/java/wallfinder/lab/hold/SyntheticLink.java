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

/// The link to synthetic peers, in the network namespace of this process, which has to be another
/// than the host's.
final class SyntheticLink {
    private static final Path OURS = Path.of("/proc/self/ns/net");
    private static final Path HOSTS = Path.of("/proc/1/ns/net");

    /// Addresses of peers where none are given: those that follow the server's.
    private static final int PEERS = 250;

    private SyntheticLink() {}

    /// Makes the link, with the target's address at the kernel's end.
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
                    "--source has " + target.getAddress().getHostAddress() + " in it",
                    "give other addresses");
        }
        return Link.open(target.getAddress(), Integer.numberOfLeadingZeros(differing));
    }

    private static void checkNamespace() {
        boolean hosts;
        try {
            hosts = Files.readSymbolicLink(OURS).equals(Files.readSymbolicLink(HOSTS));
        } catch (IOException e) {
            hosts = false; // Hidden from us: then the kernel tells whether we may make a link.
        }
        if (hosts) {
            throw new EnvironmentException(
                    "--synthetic needs a network namespace of its own",
                    "this is the host's, where nothing is changed",
                    "run the server and this command inside one: unshare -n sh -c 'SERVER & ...'");
        }
    }

    /// Who the peers are.
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
