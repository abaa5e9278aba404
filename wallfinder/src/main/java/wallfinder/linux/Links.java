package wallfinder.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/// Lists the network links of a namespace and what limits the rate at which they send, by rtnetlink
/// (`include/uapi/linux/rtnetlink.h`, `if_link.h`, `pkt_sched.h`, `gen_stats.h`). For one thread at
/// a time.
public final class Links implements AutoCloseable {
    private static final int RTM_GETLINK = 18;
    private static final int RTM_GETQDISC = 38;
    private static final int RTM_GETTCLASS = 42;

    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;

    private static final int TCMSG_BYTES = 20;
    private static final int TCA_KIND = 1;
    private static final int TCA_OPTIONS = 2;
    private static final int TCA_STATS2 = 7;
    private static final int TCA_STATS_BASIC = 1;
    private static final int TCA_STATS_QUEUE = 3;

    private static final String TBF = "tbf";
    private static final int TCA_TBF_PARMS = 1;
    private static final int TCA_TBF_RATE64 = 4;

    private static final String HTB = "htb";
    private static final int TCA_HTB_PARMS = 1;
    private static final int TCA_HTB_CEIL64 = 7;

    /// Where `struct tc_tbf_qopt` has its rate, and `struct tc_htb_opt` its ceiling.
    private static final int TBF_RATE_AT = 8;

    private static final int HTB_CEIL_AT = 20;

    /// A rate of this many bytes a second or more is only in the attribute with 64 bits.
    private static final long RATE32_MAX = 0xFFFF_FFFFL;

    private final Netlink netlink;

    private Links(Netlink netlink) {
        this.netlink = netlink;
    }

    /// @param address the hardware address as in `/sys/class/net/NAME/address`
    public record Link(int index, String name, String address) {}

    /// A queue that sends no faster than a rate: a token bucket (tbf), or a class of a hierarchy of
    /// them (htb), which may borrow from its parent up to this rate.
    ///
    /// @param name its kind and its number as `tc` writes it
    /// @param rateBytes bytes a second
    /// @param sentBytes what has left the queue
    /// @param backlogBytes what waits in the queue
    /// @param overlimits how often a packet had to wait for the rate
    public record Shaper(
            int link,
            String name,
            long rateBytes,
            long sentBytes,
            long backlogBytes,
            long drops,
            long overlimits) {}

    /// Opens a network namespace.
    ///
    /// @param namespace such as `/proc/PID/ns/net`
    /// @throws SyscallException without the privilege to enter it
    public static Links open(Path namespace) {
        return new Links(new Netlink(socket(namespace)));
    }

    private static int socket(Path namespace) {
        if (isOurs(namespace)) {
            return Netlink.socket(Netlink.ROUTE);
        }
        FutureTask<Integer> inside =
                new FutureTask<>(() -> {
                    int descriptor = Syscall.open(namespace.toString(), Syscall.O_RDONLY);
                    try {
                        Namespaces.enterNetwork(descriptor);
                    } finally {
                        Syscall.closeQuietly(descriptor);
                    }
                    return Netlink.socket(Netlink.ROUTE);
                });
        // A thread that has entered a namespace never comes back.
        Thread.ofPlatform().name("links").daemon().start(inside);
        try {
            return inside.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SyscallException cause
                    ? cause
                    : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SyscallException("open " + namespace, Errno.EINTR.number());
        }
    }

    /// A thread may stay in its own namespace without privileges.
    private static boolean isOurs(Path namespace) {
        try {
            return Files.isSameFile(namespace, Path.of("/proc/thread-self/ns/net"));
        } catch (IOException e) {
            return false;
        }
    }

    public List<Link> links() {
        List<Link> links = new ArrayList<>();
        netlink.dump(
                "list the network links",
                new NetlinkMessage(RTM_GETLINK, Netlink.REQUEST | Netlink.DUMP).link(0, 0, 0),
                message -> links.add(link(message)));
        return links;
    }

    private static Link link(ByteBuffer message) {
        int index = message.getInt(4);
        Map<Integer, ByteBuffer> attributes =
                NetlinkAttributes.of(NetlinkAttributes.after(message, IFINFOMSG_BYTES));
        ByteBuffer address = attributes.get(IFLA_ADDRESS);
        return new Link(
                index,
                text(attributes.get(IFLA_IFNAME)),
                address == null ? "" : HexFormat.ofDelimiter(":").formatHex(bytes(address)));
    }

    /// All shapers of the namespace. The kernel walks over the queues of all links.
    public List<Shaper> shapers() {
        List<Shaper> shapers = new ArrayList<>();
        List<Integer> hierarchies = new ArrayList<>();
        netlink.dump(
                "list the queues of the network links",
                queueing(RTM_GETQDISC, 0),
                message -> {
                    Map<Integer, ByteBuffer> attributes = attributes(message);
                    String kind = text(attributes.get(TCA_KIND));
                    if (kind.equals(TBF)) {
                        long rate = rate(attributes, TCA_TBF_PARMS, TBF_RATE_AT, TCA_TBF_RATE64);
                        String name = "%s %x:".formatted(TBF, message.getInt(8) >>> 16);
                        add(message.getInt(4), name, rate, attributes, shapers);
                    } else if (kind.equals(HTB)) {
                        hierarchies.add(message.getInt(4));
                    }
                });
        hierarchies.forEach(link -> addClasses(link, shapers));
        return shapers;
    }

    private void addClasses(int link, List<Shaper> shapers) {
        netlink.dump(
                "list the traffic classes of a network link",
                queueing(RTM_GETTCLASS, link),
                message -> {
                    Map<Integer, ByteBuffer> attributes = attributes(message);
                    if (text(attributes.get(TCA_KIND)).equals(HTB)) {
                        int handle = message.getInt(8);
                        String name = "%s %x:%x".formatted(HTB, handle >>> 16, handle & 0xFFFF);
                        long rate = rate(attributes, TCA_HTB_PARMS, HTB_CEIL_AT, TCA_HTB_CEIL64);
                        add(link, name, rate, attributes, shapers);
                    }
                });
    }

    private static NetlinkMessage queueing(int type, int link) {
        return new NetlinkMessage(type, Netlink.REQUEST | Netlink.DUMP).queueing(link);
    }

    private static Map<Integer, ByteBuffer> attributes(ByteBuffer message) {
        return NetlinkAttributes.of(NetlinkAttributes.after(message, TCMSG_BYTES));
    }

    /// Bytes a second; 0 if the kernel reports none.
    private static long rate(Map<Integer, ByteBuffer> attributes, int structure, int at, int wide) {
        ByteBuffer nested = attributes.get(TCA_OPTIONS);
        if (nested == null) {
            return 0;
        }
        Map<Integer, ByteBuffer> options = NetlinkAttributes.of(nested);
        ByteBuffer rate64 = options.get(wide);
        if (rate64 != null && rate64.limit() >= Long.BYTES) {
            return rate64.getLong(0);
        }
        ByteBuffer given = options.get(structure);
        long rate =
                given == null || given.limit() < at + Integer.BYTES
                        ? 0
                        : Integer.toUnsignedLong(given.getInt(at));
        return rate == RATE32_MAX ? 0 : rate;
    }

    private static void add(
            int link,
            String name,
            long rateBytes,
            Map<Integer, ByteBuffer> attributes,
            List<Shaper> shapers) {
        ByteBuffer nested = attributes.get(TCA_STATS2);
        if (nested == null || rateBytes <= 0) {
            return;
        }
        Map<Integer, ByteBuffer> counts = NetlinkAttributes.of(nested);
        ByteBuffer basic = counts.get(TCA_STATS_BASIC);
        ByteBuffer queue = counts.get(TCA_STATS_QUEUE);
        if (basic != null && queue != null) {
            shapers.add(
                    new Shaper(
                            link,
                            name,
                            rateBytes,
                            basic.getLong(0),
                            Integer.toUnsignedLong(queue.getInt(4)),
                            Integer.toUnsignedLong(queue.getInt(8)),
                            Integer.toUnsignedLong(queue.getInt(16))));
        }
    }

    /// The text of an attribute without the zero at its end; empty if there is no such attribute.
    private static String text(@Nullable ByteBuffer attribute) {
        return attribute == null
                ? ""
                : new String(bytes(attribute), StandardCharsets.US_ASCII).replace("\0", "");
    }

    private static byte[] bytes(ByteBuffer attribute) {
        byte[] bytes = new byte[attribute.limit()];
        attribute.get(0, bytes);
        return bytes;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
