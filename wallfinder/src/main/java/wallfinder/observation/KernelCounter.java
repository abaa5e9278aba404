package wallfinder.observation;

import java.util.Set;
import wallfinder.observation.Counter.Kind;

/// A counter with the kernel's name: `TcpExt.ListenOverflows` of `/proc/net/netstat`,
/// `Tcp.RetransSegs` of `/proc/net/snmp`, `sockstat.TCP.tw` of `/proc/net/sockstat`. Observations
/// contain all counters of these files. The diagnosis reads those that have a constant.
public record KernelCounter(String text) implements Key {
    public static final KernelCounter LISTEN_OVERFLOWS =
            new KernelCounter("TcpExt.ListenOverflows");
    public static final KernelCounter EMBRYONIC_RESETS = new KernelCounter("TcpExt.EmbryonicRsts");
    public static final KernelCounter SYN_RETRANS = new KernelCounter("TcpExt.TCPSynRetrans");
    public static final KernelCounter SYN_QUEUE_DROPS = new KernelCounter("TcpExt.TCPReqQFullDrop");
    public static final KernelCounter SYN_COOKIES_SENT =
            new KernelCounter("TcpExt.TCPReqQFullDoCookies");
    public static final KernelCounter TIME_WAIT_OVERFLOW =
            new KernelCounter("TcpExt.TCPTimeWaitOverflow");
    public static final KernelCounter ACTIVE_OPENS = new KernelCounter("Tcp.ActiveOpens");
    public static final KernelCounter PASSIVE_OPENS = new KernelCounter("Tcp.PassiveOpens");
    public static final KernelCounter IN_PACKETS = new KernelCounter("Ip.InReceives");

    /// Packets that reached a protocol such as TCP, and those that one sent, both without IPv6.
    public static final KernelCounter IN_DELIVERED = new KernelCounter("Ip.InDelivers");

    public static final KernelCounter OUT_PACKETS = new KernelCounter("Ip.OutRequests");
    public static final KernelCounter IN_SEGMENTS = new KernelCounter("Tcp.InSegs");
    public static final KernelCounter OUT_SEGMENTS = new KernelCounter("Tcp.OutSegs");
    public static final KernelCounter RETRANSMITS = new KernelCounter("Tcp.RetransSegs");

    /// Retransmits of segments that the other end already had.
    public static final KernelCounter NEEDLESS = new KernelCounter("TcpExt.TCPDSACKRecv");

    /// Acknowledgements sent when the timer for them ended.
    public static final KernelCounter DELAYED_ACKS = new KernelCounter("TcpExt.DelayedACKs");

    public static final KernelCounter UDP_SENT = new KernelCounter("Udp.OutDatagrams");
    public static final KernelCounter UDP_RECEIVED = new KernelCounter("Udp.InDatagrams");
    public static final KernelCounter UNREACHABLE = new KernelCounter("Icmp.InDestUnreachs");

    /// The same over IPv6, of `/proc/net/snmp6`.
    public static final KernelCounter UDP6_SENT = new KernelCounter("Udp6.OutDatagrams");

    public static final KernelCounter UDP6_RECEIVED = new KernelCounter("Udp6.InDatagrams");
    public static final KernelCounter UNREACHABLE6 = new KernelCounter("Icmp6.InDestUnreachs");
    public static final KernelCounter PRUNED = new KernelCounter("TcpExt.PruneCalled");
    public static final KernelCounter RECEIVE_DROPS = new KernelCounter("TcpExt.TCPRcvQDrop");
    public static final KernelCounter ABORTS_FOR_MEMORY =
            new KernelCounter("TcpExt.TCPAbortOnMemory");
    public static final KernelCounter TCP_PAGES = new KernelCounter("sockstat.TCP.mem");
    public static final KernelCounter TIME_WAIT = new KernelCounter("sockstat.TCP.tw");
    public static final KernelCounter TCP_IN_USE = new KernelCounter("sockstat.TCP.inuse");

    public static final KernelCounter TCP_ORPHANS = new KernelCounter("sockstat.TCP.orphan");
    public static final KernelCounter TCP_ALLOCATED = new KernelCounter("sockstat.TCP.alloc");
    public static final KernelCounter UDP_PAGES = new KernelCounter("sockstat.UDP.mem");

    private static final String SOCKSTAT = "sockstat.";

    /// The levels in `snmp`. Everything in `sockstat` is a level.
    private static final Set<String> GAUGES =
            Set.of(
                    "Ip.Forwarding",
                    "Ip.DefaultTTL",
                    "Ip.ReasmTimeout",
                    "Tcp.RtoAlgorithm",
                    "Tcp.RtoMin",
                    "Tcp.RtoMax",
                    "Tcp.MaxConn",
                    "Tcp.CurrEstab");

    /// A column of a line of `/proc/net/netstat` or `/proc/net/snmp`.
    public static KernelCounter of(String line, String column) {
        return new KernelCounter(line + "." + column);
    }

    /// A column of a line of `/proc/net/sockstat`.
    public static KernelCounter ofSockstat(String line, String column) {
        return of(SOCKSTAT + line, column);
    }

    @Override
    public Form form() {
        boolean level = text.startsWith(SOCKSTAT) || GAUGES.contains(text);
        return new Form(text, level ? Kind.GAUGE : Kind.CUMULATIVE, unit());
    }

    private Unit unit() {
        if (text.endsWith("Octets") || text.endsWith(".memory")) {
            return Unit.BYTES;
        }
        return text.endsWith(".mem") ? Unit.PAGES : Unit.COUNT;
    }
}
