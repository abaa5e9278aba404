package wallfinder.observation;

/// The names of the counters that the diagnosis asks for. Counters of the kernel keep the kernel's
/// names: `TcpExt.ListenOverflows` of `/proc/net/netstat`, `Tcp.RetransSegs` of `/proc/net/snmp`,
/// `sockstat.TCP.tw` of `/proc/net/sockstat`. All of them are recorded, not only those named here.
public final class Names {
    public static final String LISTEN_OVERFLOWS = "TcpExt.ListenOverflows";
    public static final String LISTEN_DROPS = "TcpExt.ListenDrops";
    public static final String EMBRYONIC_RESETS = "TcpExt.EmbryonicRsts";
    public static final String SYN_RETRANS = "TcpExt.TCPSynRetrans";
    public static final String SYN_QUEUE_DROPS = "TcpExt.TCPReqQFullDrop";
    public static final String SYN_COOKIES_SENT = "TcpExt.TCPReqQFullDoCookies";
    public static final String TIME_WAIT_OVERFLOW = "TcpExt.TCPTimeWaitOverflow";
    public static final String ACTIVE_OPENS = "Tcp.ActiveOpens";
    public static final String IN_SEGMENTS = "Tcp.InSegs";
    public static final String OUT_SEGMENTS = "Tcp.OutSegs";
    public static final String RETRANSMITS = "Tcp.RetransSegs";
    public static final String UDP_SENT = "Udp.OutDatagrams";
    public static final String UDP_RECEIVED = "Udp.InDatagrams";
    public static final String UNREACHABLE = "Icmp.InDestUnreachs";
    public static final String PRUNED = "TcpExt.PruneCalled";
    public static final String RECEIVE_DROPS = "TcpExt.TCPRcvQDrop";
    public static final String ABORTS_FOR_MEMORY = "TcpExt.TCPAbortOnMemory";
    public static final String TCP_PAGES = "sockstat.TCP.mem";
    public static final String TIME_WAIT = "sockstat.TCP.tw";
    public static final String TCP_IN_USE = "sockstat.TCP.inuse";

    private Names() {}

    /// A listener, by the port it listens on: `what` is `queue` (gauge: connections waiting for
    /// accept), `limit` (gauge: the queue's bound in force), `drops` (cumulative: handshakes it
    /// dropped) or `unread` (gauge: established connections to the port, accepted or not, over
    /// which something came that nobody has read).
    public static String listen(int port, String what) {
        return "listen[" + port + "]." + what;
    }

    /// The connections of this end to one destination that hold a local port, in any state,
    /// TIME_WAIT included: `what` is `used` or `limit` (the limit is the size of the port range),
    /// and for the busiest destination `connected` (the established ones) and `busy` (those of them
    /// over which something was sent since anything came back). All are gauges.
    public static String ports(String destination, String what) {
        return "ports[" + destination + "]." + what;
    }

    /// A process with all its descendants, by the name of its service (`load` for a load command):
    /// `cpu` (cumulative, CPU seconds), `waiting` (cumulative, seconds runnable without a CPU),
    /// `busiestThread` (cumulative, CPU seconds of the thread that used most so far),
    /// `busiestWanted` (cumulative, seconds in which one thread ran or was ready to run, of the one
    /// where it is longest so far; both without the threads with which a JVM compiles and collects,
    /// and those that spin), `spinning` (gauge: threads that used a CPU before the load began, as
    /// they always did), `descriptors`, `descriptorLimit`, `rss` (bytes), `threads` (gauges),
    /// `majorFaults` (cumulative). Of its threads that are alike, by name: `receiving` (gauge: wait
    /// for the network) and `queueing` (gauge: wait for another thread, and ran within the last
    /// second or so).
    public static String process(String service, String what) {
        return "process[" + service + "]." + what;
    }

    /// The JVMs of a service: `collectorCpu` (cumulative, CPU seconds of the threads that collect
    /// garbage), `stoppingCpu` (cumulative, CPU seconds of the busiest of those that work only
    /// while the world is stopped), `pauses` and `fullCollections` (cumulative), `pauseSeconds` and
    /// `fullPauseSeconds` (cumulative), `longestPause` (gauge, seconds: the longest that was seen
    /// so far), `heapMax`, `heapUsed`, `heapCommitted` (gauges, bytes: what the heap may grow to,
    /// what it held after a collection, and how large it is), `carrierLooks`, `carriers`,
    /// `carriersHeld` (cumulative: how often the carriers of virtual threads were looked at, how
    /// many they were, and how many of them were held), `virtualThreads` (gauge: 1 if there are
    /// any). Where a service has several JVMs, `stoppingCpu`, the pauses and the full collections
    /// are those of one of them, counted from when it was first looked at.
    public static String jvm(String service, String what) {
        return "jvm[" + service + "]." + what;
    }

    /// What a service writes: `heapErrors` (cumulative: how often it told that its heap is full).
    public static String log(String service, String what) {
        return "log[" + service + "]." + what;
    }

    /// The cgroup of a service: `periods`, `throttledPeriods`, `throttledSeconds`, `oomKills`,
    /// `limitHits` (cumulative), `memory`, `memoryLimit` (gauges, bytes), `cpus` (gauge: the quota
    /// in CPUs), `tasks`, `taskLimit` (gauges: processes and threads), `forksRefused` (cumulative),
    /// `memoryAnonymous`, `memoryFile`, `memoryKernel` (gauges, bytes), `refaults`, `majorFaults`
    /// (cumulative, pages), `tcpMemory`, `tcpMemoryLimit`, `tcpMemoryPeak` (gauges, bytes; the last
    /// is the most since the first look, at others' groups since they were made).
    public static String cgroup(String service, String what) {
        return "cgroup[" + service + "]." + what;
    }

    /// The CPUs an end may run on, host-wide: `busy`, `steal` (cumulative, seconds over all of
    /// them) and `count` (gauge).
    public static String cpus(String what) {
        return "cpus." + what;
    }

    /// The generator's own threads: `cpu`, `waiting` (cumulative, seconds over all of them),
    /// `threads` (gauge). Where it holds connections, also `rss` (gauge, bytes of its process).
    public static String generator(String what) {
        return "generator." + what;
    }

    /// What all TCP sockets of the host may hold, in pages: `pressure`, `limit` (gauges).
    public static String tcpMemory(String what) {
        return "tcpMemory." + what;
    }

    /// The connections that an end's kernel tracks: `entries` (gauge), `drops` (cumulative: packets
    /// of connections that found no place), `earlyDrops` (cumulative: connections without an answer
    /// that were given up for another).
    public static String conntrack(String what) {
        return "conntrack." + what;
    }

    /// The queues of packets to be received, of the CPUs an end may run on: `dropped` (cumulative,
    /// host-wide), `queue` (gauge, of the longest), `limit` (gauge, for each CPU).
    public static String softnet(String what) {
        return "softnet." + what;
    }

    /// Lookups of names at an end: `waiting` (gauge: sockets that wait for a name server's answer),
    /// `longest` (gauge, seconds: how long the oldest of them has been seen to wait).
    public static String lookups(String what) {
        return "lookups." + what;
    }

    /// What the load saw: `requests`, `errors`, `connectionsOpened`, `responseMicrosSum`
    /// (cumulative), `connections` (gauge).
    public static String load(String what) {
        return "load." + what;
    }
}
