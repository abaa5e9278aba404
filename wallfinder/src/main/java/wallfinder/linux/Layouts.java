package wallfinder.linux;

/// Offsets and sizes of the kernel's structures in bytes. A test compares them with the system's C
/// headers. Sources: `include/uapi/linux/io_uring.h`, `linux/eventpoll.h`, `linux/in.h`,
/// `linux/in6.h`, `linux/un.h`, `linux/socket.h`, `linux/if.h`.
final class Layouts {
    static final int PARAMS_SQ_ENTRIES = 0;
    static final int PARAMS_CQ_ENTRIES = 4;
    static final int PARAMS_FLAGS = 8;
    static final int PARAMS_FEATURES = 20;
    static final int PARAMS_SQ_HEAD = 40;
    static final int PARAMS_SQ_TAIL = 44;
    static final int PARAMS_SQ_ARRAY = 64;
    static final int PARAMS_CQ_HEAD = 80;
    static final int PARAMS_CQ_TAIL = 84;
    static final int PARAMS_CQ_MASK = 88;
    static final int PARAMS_CQ_CQES = 100;

    static final int SQE_SIZE = 64;
    static final int SQE_OPCODE = 0;
    static final int SQE_FLAGS = 1;
    static final int SQE_IOPRIO = 2;
    static final int SQE_FD = 4;
    static final int SQE_OFF = 8;
    static final int SQE_ADDR = 16;
    static final int SQE_LEN = 24;
    static final int SQE_MSG_FLAGS = 28;
    static final int SQE_USER_DATA = 32;
    static final int SQE_BUF_GROUP = 40;
    static final int SQE_ADDR3 = 48;

    static final int CQE_SIZE = 16;
    static final int CQE_USER_DATA = 0;
    static final int CQE_RES = 8;
    static final int CQE_FLAGS = 12;

    static final int BUF_SIZE = 16;
    static final int BUF_ADDR = 0;
    static final int BUF_LEN = 8;
    static final int BUF_BID = 12;

    /// The ring's tail is the reserved field of its first entry.
    static final int BUF_RING_TAIL = 14;

    static final int BUF_REG_RING_ADDR = 0;
    static final int BUF_REG_RING_ENTRIES = 8;
    static final int BUF_REG_BGID = 12;

    static final int RSRC_UPDATE_OFFSET = 0;
    static final int RSRC_UPDATE_DATA = 8;

    static final int GETEVENTS_ARG_SIZE = 24;
    static final int GETEVENTS_ARG_TS = 16;
    static final int TIMESPEC_SIZE = 16;
    static final int TIMESPEC_NSEC = 8;

    static final int PROBE_SIZE = 16;
    static final int PROBE_OP_SIZE = 8;
    static final int PROBE_OP_FLAGS = 2;

    /// Only x86-64 packs it.
    static final int EPOLL_EVENT_SIZE = HostUnits.X86 ? 12 : 16;

    static final int EPOLL_EVENT_EVENTS = 0;
    static final int EPOLL_EVENT_DATA = HostUnits.X86 ? 4 : 8;

    static final int SOCKADDR_IN_SIZE = 16;
    static final int SOCKADDR_IN6_SIZE = 28;
    static final int SOCKADDR_FAMILY = 0;
    static final int SOCKADDR_PORT = 2;
    static final int SOCKADDR_IN_ADDR = 4;
    static final int SOCKADDR_IN6_ADDR = 8;
    static final int SOCKADDR_IN6_SCOPE = 24;
    static final int SOCKADDR_UN_PATH = 2;
    static final int SOCKADDR_UN_PATH_SIZE = 108;

    static final int UCRED_SIZE = 12;
    static final int UCRED_PID = 0;

    static final int IFREQ_SIZE = 40;
    static final int IFREQ_FLAGS = 16;

    private Layouts() {}
}
