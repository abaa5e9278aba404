package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/// The structures of `linux/netlink.h`, `linux/inet_diag.h` and `linux/unix_diag.h` under the
/// kernel's own names. A test compares them with the system's C headers.
final class SockDiagLayouts {
    static final StructLayout NLMSGHDR =
            MemoryLayout.structLayout(
                            JAVA_INT.withName("nlmsg_len"),
                            JAVA_SHORT.withName("nlmsg_type"),
                            JAVA_SHORT.withName("nlmsg_flags"),
                            JAVA_INT.withName("nlmsg_seq"),
                            JAVA_INT.withName("nlmsg_pid"))
                    .withName("nlmsghdr");

    static final StructLayout SOCKADDR_NL =
            MemoryLayout.structLayout(
                            JAVA_SHORT.withName("nl_family"),
                            JAVA_SHORT.withName("nl_pad"),
                            JAVA_INT.withName("nl_pid"),
                            JAVA_INT.withName("nl_groups"))
                    .withName("sockaddr_nl");

    private static final StructLayout SOCKID =
            MemoryLayout.structLayout(
                    JAVA_SHORT.withName("idiag_sport"),
                    JAVA_SHORT.withName("idiag_dport"),
                    MemoryLayout.sequenceLayout(4, JAVA_INT).withName("idiag_src"),
                    MemoryLayout.sequenceLayout(4, JAVA_INT).withName("idiag_dst"),
                    JAVA_INT.withName("idiag_if"),
                    MemoryLayout.sequenceLayout(2, JAVA_INT).withName("idiag_cookie"));

    static final StructLayout INET_DIAG_REQ =
            MemoryLayout.structLayout(
                            JAVA_BYTE.withName("idiag_family"),
                            JAVA_BYTE.withName("idiag_src_len"),
                            JAVA_BYTE.withName("idiag_dst_len"),
                            JAVA_BYTE.withName("idiag_ext"),
                            SOCKID.withName("id"),
                            JAVA_INT.withName("idiag_states"),
                            JAVA_INT.withName("idiag_dbs"))
                    .withName("inet_diag_req");

    static final StructLayout INET_DIAG_MSG =
            MemoryLayout.structLayout(
                            JAVA_BYTE.withName("idiag_family"),
                            JAVA_BYTE.withName("idiag_state"),
                            JAVA_BYTE.withName("idiag_timer"),
                            JAVA_BYTE.withName("idiag_retrans"),
                            SOCKID.withName("id"),
                            JAVA_INT.withName("idiag_expires"),
                            JAVA_INT.withName("idiag_rqueue"),
                            JAVA_INT.withName("idiag_wqueue"),
                            JAVA_INT.withName("idiag_uid"),
                            JAVA_INT.withName("idiag_inode"))
                    .withName("inet_diag_msg");

    static final StructLayout UNIX_DIAG_MSG =
            MemoryLayout.structLayout(
                            JAVA_BYTE.withName("udiag_family"),
                            JAVA_BYTE.withName("udiag_type"),
                            JAVA_BYTE.withName("udiag_state"),
                            JAVA_BYTE.withName("pad"),
                            JAVA_INT.withName("udiag_ino"),
                            MemoryLayout.sequenceLayout(2, JAVA_INT).withName("udiag_cookie"))
                    .withName("unix_diag_msg");

    /// An instruction of the filter that the kernel applies to each socket of a dump.
    static final StructLayout INET_DIAG_BC_OP =
            MemoryLayout.structLayout(
                            JAVA_BYTE.withName("code"),
                            JAVA_BYTE.withName("yes"),
                            JAVA_SHORT.withName("no"))
                    .withName("inet_diag_bc_op");

    static final StructLayout RTATTR =
            MemoryLayout.structLayout(
                            JAVA_SHORT.withName("rta_len"), JAVA_SHORT.withName("rta_type"))
                    .withName("rtattr");

    static final int AF_INET = 2;
    static final int AF_NETLINK = 16;
    static final int NETLINK_SOCK_DIAG = 4;
    static final int SOCK_RAW = 3;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_RCVTIMEO = 20;
    static final int MSG_TRUNC = 0x20;

    static final int TCPDIAG_GETSOCK = 18;
    static final int NLMSG_ERROR = 2;
    static final int NLMSG_DONE = 3;
    static final int NLM_F_REQUEST = 1;
    static final int NLM_F_DUMP = 0x300;
    static final int NLM_F_DUMP_INTR = 0x10;

    static final int INET_DIAG_REQ_BYTECODE = 1;
    static final int INET_DIAG_BC_S_GE = 2;
    static final int INET_DIAG_BC_S_LE = 3;
    static final int INET_DIAG_BC_D_GE = 4;
    static final int INET_DIAG_BC_D_LE = 5;
    static final int INET_DIAG_INFO = 2;
    static final int INET_DIAG_SKMEMINFO = 7;
    static final int SOCK_DIAG_BY_FAMILY = 20;
    static final int UDIAG_SHOW_NAME = 0x1;
    static final int UDIAG_SHOW_PEER = 0x4;
    static final int UDIAG_SHOW_ICONS = 0x8;
    static final int UNIX_DIAG_NAME = 0;
    static final int UNIX_DIAG_PEER = 2;
    static final int UNIX_DIAG_ICONS = 3;
    static final int SK_MEMINFO_SNDBUF = 3;
    static final int SK_MEMINFO_DROPS = 8;

    // Offsets in struct tcp_info. Newer kernels only append to it.
    static final int TCPI_CA_STATE = 1;
    static final int TCPI_SND_MSS = 16;
    static final int TCPI_UNACKED = 24;
    static final int TCPI_LAST_DATA_SENT = 44;
    static final int TCPI_LAST_DATA_RECV = 52;
    static final int TCPI_LAST_ACK_RECV = 56;
    static final int TCPI_RTT = 68;
    static final int TCPI_SND_CWND = 80;
    static final int TCPI_NOTSENT_BYTES = 144;
    static final int TCPI_MIN_RTT = 148;
    static final int TCPI_DATA_SEGS_IN = 152;
    static final int TCPI_DATA_SEGS_OUT = 156;
    static final int TCPI_BUSY_TIME = 168;
    static final int TCPI_RWND_LIMITED = 176;
    static final int TCPI_SNDBUF_LIMITED = 184;
    static final int TCPI_SND_WND = 228;

    private SockDiagLayouts() {}

    static long offset(StructLayout struct, String... names) {
        PathElement[] path = new PathElement[names.length];
        for (int i = 0; i < names.length; i++) {
            path[i] = PathElement.groupElement(names[i]);
        }
        return struct.byteOffset(path);
    }
}
