package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;

/// Sets up links and addresses in the calling thread's network namespace by rtnetlink
/// (`include/uapi/linux/rtnetlink.h`, `if_link.h`, `if_addr.h`, `veth.h`).
public final class Route implements AutoCloseable {
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_NEWADDR = 20;
    private static final int IFLA_IFNAME = 3;
    static final int IFLA_TXQLEN = 13;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_NET_NS_FD = 28;
    private static final int IFLA_INFO_KIND = 1;
    private static final int IFLA_INFO_DATA = 2;
    private static final int VETH_INFO_PEER = 1;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_FLAGS = 8;
    private static final int IFA_F_NODAD = 2;
    private static final int IFF_UP = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    private static final NativeFunction INDEX = NativeFunction.ofInt("if_nametoindex");

    private final Netlink netlink = new Netlink(Netlink.socket(Netlink.ROUTE));

    private Route() {}

    /// Opens the network namespace of the calling thread.
    public static Route open() {
        return new Route();
    }

    /// Creates a veth pair with one end here and the other end in another namespace, so that the
    /// host never sees either.
    ///
    /// @param namespace a descriptor of the peer's namespace
    public void createVethPair(String name, String peerName, int namespace) {
        NetlinkMessage message = creation(RTM_NEWLINK).link(0, 0, 0).attribute(IFLA_IFNAME, name);
        int info = message.begin(IFLA_LINKINFO);
        message.attribute(IFLA_INFO_KIND, "veth");
        int data = message.begin(IFLA_INFO_DATA);
        int peer = message.begin(VETH_INFO_PEER);
        message.link(0, 0, 0).attribute(IFLA_IFNAME, peerName).attribute(IFLA_NET_NS_FD, namespace);
        message.end(peer);
        message.end(data);
        message.end(info);
        netlink.request("create a pair of virtual network links (veth)", message);
    }

    public void up(String link) {
        NetlinkMessage message =
                new NetlinkMessage(RTM_NEWLINK, Netlink.REQUEST | Netlink.ACK)
                        .link(index(link), IFF_UP, IFF_UP);
        netlink.request("set the link " + link + " up", message);
    }

    /// Sets the length of a link's transmit queue.
    public void queue(String link, int packets) {
        NetlinkMessage message =
                new NetlinkMessage(RTM_NEWLINK, Netlink.REQUEST | Netlink.ACK)
                        .link(index(link), 0, 0)
                        .attribute(IFLA_TXQLEN, packets);
        netlink.request("give the link " + link + " a queue of " + packets + " packets", message);
    }

    /// Adds an address to a link. An IPv6 address works at once, without duplicate address
    /// detection.
    public void add(String link, InetAddress address, int prefixLength) {
        boolean v4 = address instanceof Inet4Address;
        NetlinkMessage message =
                creation(RTM_NEWADDR)
                        .address(v4 ? AF_INET : AF_INET6, prefixLength, index(link))
                        .attribute(IFA_LOCAL, address.getAddress())
                        .attribute(IFA_ADDRESS, address.getAddress())
                        .attribute(IFA_FLAGS, v4 ? 0 : IFA_F_NODAD);
        netlink.request(
                "add the address " + address.getHostAddress() + " to the link " + link, message);
    }

    private static NetlinkMessage creation(int type) {
        return new NetlinkMessage(type, Netlink.REQUEST | Netlink.ACK | Netlink.CREATE_NEW);
    }

    private static int index(String link) {
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            long index = INDEX.call(errno, arena.allocateFrom(link).address());
            // if_nametoindex returns zero when it fails.
            long result = index == 0 ? Syscall.result(-1, errno) : index;
            return (int) Syscall.check("find the link " + link, result);
        }
    }

    @Override
    public void close() {
        netlink.close();
    }
}
