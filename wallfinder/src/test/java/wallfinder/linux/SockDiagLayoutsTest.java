package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares our structures and constants with the C headers of this system.
class SockDiagLayoutsTest {
    private static final long COMPILE_SECONDS_MAX = 60;

    @TempDir Path folder;

    private final Map<String, Long> ours = new LinkedHashMap<>();
    private final StringBuilder program = new StringBuilder();

    @Test
    void structures_and_constants_match_the_c_headers() throws Exception {
        assumeTrue(hasHeaders(), "SKIPPED: no C compiler (cc) with the kernel's headers here");
        struct(SockDiagLayouts.NLMSGHDR);
        struct(SockDiagLayouts.SOCKADDR_NL);
        struct(SockDiagLayouts.INET_DIAG_REQ);
        struct(SockDiagLayouts.INET_DIAG_MSG);
        struct(SockDiagLayouts.INET_DIAG_BC_OP);
        struct(SockDiagLayouts.RTATTR);
        struct(SockDiagLayouts.UNIX_DIAG_MSG);
        numbers();

        assertThat(ours).hasSizeGreaterThan(40);
        assertThat(output(headers() + "int main(void) {\n" + program + "return 0; }\n"))
                .isEqualTo(ours);
    }

    @Test
    void states_match_the_c_headers() throws Exception {
        assumeTrue(hasHeaders(), "SKIPPED: no C compiler (cc) with the kernel's headers here");
        for (TcpState state : TcpState.values()) {
            if (state != TcpState.NEW_SYN_RECV) { // not in the headers for user space
                number("TCP_" + state, Integer.numberOfTrailingZeros(state.bit()));
            }
        }

        String source = "#include <stdio.h>\n#include <netinet/tcp.h>\nint main(void) {\n";
        assertThat(output(source + program + "return 0; }\n")).isEqualTo(ours);
    }

    private void numbers() {
        number("AF_INET", SockDiagLayouts.AF_INET);
        number("AF_NETLINK", SockDiagLayouts.AF_NETLINK);
        number("NETLINK_SOCK_DIAG", SockDiagLayouts.NETLINK_SOCK_DIAG);
        number("SOCK_RAW", SockDiagLayouts.SOCK_RAW);
        number("SOCK_CLOEXEC", SockDiagLayouts.SOCK_CLOEXEC);
        number("SOL_SOCKET", SockDiagLayouts.SOL_SOCKET);
        number("SO_RCVTIMEO", SockDiagLayouts.SO_RCVTIMEO);
        number("MSG_TRUNC", SockDiagLayouts.MSG_TRUNC);
        number("TCPDIAG_GETSOCK", SockDiagLayouts.TCPDIAG_GETSOCK);
        number("SOCK_DIAG_BY_FAMILY", SockDiagLayouts.SOCK_DIAG_BY_FAMILY);
        number("UDIAG_SHOW_NAME", SockDiagLayouts.UDIAG_SHOW_NAME);
        number("UDIAG_SHOW_PEER", SockDiagLayouts.UDIAG_SHOW_PEER);
        number("UDIAG_SHOW_ICONS", SockDiagLayouts.UDIAG_SHOW_ICONS);
        number("UNIX_DIAG_NAME", SockDiagLayouts.UNIX_DIAG_NAME);
        number("UNIX_DIAG_PEER", SockDiagLayouts.UNIX_DIAG_PEER);
        number("UNIX_DIAG_ICONS", SockDiagLayouts.UNIX_DIAG_ICONS);
        number("NLMSG_ERROR", SockDiagLayouts.NLMSG_ERROR);
        number("NLMSG_DONE", SockDiagLayouts.NLMSG_DONE);
        number("NLM_F_REQUEST", SockDiagLayouts.NLM_F_REQUEST);
        number("NLM_F_DUMP", SockDiagLayouts.NLM_F_DUMP);
        number("NLM_F_DUMP_INTR", SockDiagLayouts.NLM_F_DUMP_INTR);
        number("INET_DIAG_REQ_BYTECODE", SockDiagLayouts.INET_DIAG_REQ_BYTECODE);
        number("INET_DIAG_BC_S_GE", SockDiagLayouts.INET_DIAG_BC_S_GE);
        number("INET_DIAG_BC_S_LE", SockDiagLayouts.INET_DIAG_BC_S_LE);
        number("INET_DIAG_BC_D_GE", SockDiagLayouts.INET_DIAG_BC_D_GE);
        number("INET_DIAG_BC_D_LE", SockDiagLayouts.INET_DIAG_BC_D_LE);
        number("INET_DIAG_SKMEMINFO", SockDiagLayouts.INET_DIAG_SKMEMINFO);
        number("SK_MEMINFO_SNDBUF", SockDiagLayouts.SK_MEMINFO_SNDBUF);
        number("SK_MEMINFO_DROPS", SockDiagLayouts.SK_MEMINFO_DROPS);
        number("INET_DIAG_INFO", SockDiagLayouts.INET_DIAG_INFO);
        inTcpInfo("tcpi_snd_mss", SockDiagLayouts.TCPI_SND_MSS);
        inTcpInfo("tcpi_ca_state", SockDiagLayouts.TCPI_CA_STATE);
        inTcpInfo("tcpi_snd_cwnd", SockDiagLayouts.TCPI_SND_CWND);
        inTcpInfo("tcpi_notsent_bytes", SockDiagLayouts.TCPI_NOTSENT_BYTES);
        inTcpInfo("tcpi_unacked", SockDiagLayouts.TCPI_UNACKED);
        inTcpInfo("tcpi_last_data_sent", SockDiagLayouts.TCPI_LAST_DATA_SENT);
        inTcpInfo("tcpi_last_data_recv", SockDiagLayouts.TCPI_LAST_DATA_RECV);
        inTcpInfo("tcpi_last_ack_recv", SockDiagLayouts.TCPI_LAST_ACK_RECV);
        inTcpInfo("tcpi_data_segs_in", SockDiagLayouts.TCPI_DATA_SEGS_IN);
        inTcpInfo("tcpi_data_segs_out", SockDiagLayouts.TCPI_DATA_SEGS_OUT);
        inTcpInfo("tcpi_rtt", SockDiagLayouts.TCPI_RTT);
        inTcpInfo("tcpi_min_rtt", SockDiagLayouts.TCPI_MIN_RTT);
        inTcpInfo("tcpi_busy_time", SockDiagLayouts.TCPI_BUSY_TIME);
        inTcpInfo("tcpi_rwnd_limited", SockDiagLayouts.TCPI_RWND_LIMITED);
        inTcpInfo("tcpi_sndbuf_limited", SockDiagLayouts.TCPI_SNDBUF_LIMITED);
        inTcpInfo("tcpi_snd_wnd", SockDiagLayouts.TCPI_SND_WND);
    }

    private void inTcpInfo(String member, long offset) {
        number("offsetof(struct tcp_info, " + member + ")", offset);
    }

    private void struct(StructLayout struct) {
        String name = "struct " + struct.name().orElseThrow();
        line(name, "sizeof(" + name + ")", struct.byteSize());
        members(name, "", struct, 0);
    }

    private void members(String struct, String prefix, GroupLayout group, long base) {
        for (MemoryLayout member : group.memberLayouts()) {
            String name = prefix + member.name().orElseThrow();
            long at = base + group.byteOffset(element(member));
            line(struct + "." + name, "offsetof(" + struct + ", " + name + ")", at);
            if (member instanceof GroupLayout inner) {
                members(struct, name + ".", inner, at);
            }
        }
    }

    private static MemoryLayout.PathElement element(MemoryLayout member) {
        return MemoryLayout.PathElement.groupElement(member.name().orElseThrow());
    }

    private void number(String name, long value) {
        line(name, name, value);
    }

    private void line(String name, String expression, long value) {
        ours.put(name, value);
        program.append("printf(\"%s=%ld\\n\", \"" + name + "\", (long)(" + expression + "));\n");
    }

    private static String headers() {
        return """
        #include <stddef.h>
        #include <stdio.h>
        #include <sys/socket.h>
        #include <netinet/in.h>
        #include <linux/netlink.h>
        #include <linux/rtnetlink.h>
        #include <linux/sock_diag.h>
        #include <linux/inet_diag.h>
        #include <linux/unix_diag.h>
        #include <linux/tcp.h>
        """;
    }

    private boolean hasHeaders() throws Exception {
        try {
            return compile("probe", headers() + "int main(void) { return 0; }\n") == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Map<String, Long> output(String source) throws Exception {
        assertThat(compile("layouts", source)).as("cc").isZero();
        Process run = new ProcessBuilder(folder.resolve("layouts").toString()).start();
        Map<String, Long> theirs = new LinkedHashMap<>();
        try (var lines = run.inputReader(StandardCharsets.UTF_8)) {
            lines.lines()
                    .map(line -> line.split("="))
                    .forEach(pair -> theirs.put(pair[0], Long.parseLong(pair[1])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return theirs;
    }

    private int compile(String name, String source) throws Exception {
        Path file = Files.writeString(folder.resolve(name + ".c"), source);
        Process cc =
                new ProcessBuilder("cc", "-o", folder.resolve(name).toString(), file.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".txt").toFile())
                        .start();
        assertThat(cc.waitFor(COMPILE_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        return cc.exitValue();
    }
}
