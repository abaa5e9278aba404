package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutsTest {
    @TempDir Path folder;

    @Test
    void sizes_offsets_and_constants_match_the_c_headers() throws Exception {
        Path compiler = Path.of("/usr/bin/cc");
        assumeTrue(Files.isExecutable(compiler), "SKIPPED: no C compiler (cc) here");
        Map<String, Long> ours = ours();
        Path source = folder.resolve("layouts.c");
        Files.writeString(source, program(ours));
        String built = run(compiler.toString(), "-o", "layouts", source.toString());
        assertThat(folder.resolve("layouts")).as(built).exists();
        Map<String, Long> theirs = new TreeMap<>();
        for (String line : run("./layouts").lines().toList()) {
            String[] parts = line.split("=");
            theirs.put(parts[0], Long.parseLong(parts[1]));
        }
        assertThat(ours).isEqualTo(theirs);
    }

    private static String program(Map<String, Long> expressions) {
        String lines =
                expressions.keySet().stream()
                        .map(e -> "printf(\"%s=%lld\\n\", \"" + e + "\", (long long) (" + e + "));")
                        .collect(Collectors.joining("\n"));
        return """
        #define _GNU_SOURCE
        #include <stddef.h>
        #include <stdio.h>
        #include <fcntl.h>
        #include <netinet/in.h>
        #include <netinet/tcp.h>
        #include <sys/epoll.h>
        #include <sys/mman.h>
        #include <sys/prctl.h>
        #include <sys/socket.h>
        #include <sys/syscall.h>
        #include <sys/un.h>
        #include <linux/if.h>
        #include <linux/if_link.h>
        #include <linux/if_tun.h>
        #include <linux/io_uring.h>
        #include <linux/time_types.h>
        int main(void) {
        """
                + lines
                + "\nreturn 0; }\n";
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static Map<String, Long> ours() {
        Map<String, Long> all = new TreeMap<>();
        rings(all);
        requests(all);
        sockets(all);
        constants(all);
        socketConstants(all);
        links(all);
        return all;
    }

    private static void rings(Map<String, Long> all) {
        offset(all, "io_uring_params", "sq_entries", Layouts.PARAMS_SQ_ENTRIES);
        offset(all, "io_uring_params", "cq_entries", Layouts.PARAMS_CQ_ENTRIES);
        offset(all, "io_uring_params", "flags", Layouts.PARAMS_FLAGS);
        offset(all, "io_uring_params", "features", Layouts.PARAMS_FEATURES);
        offset(all, "io_uring_params", "sq_off.head", Layouts.PARAMS_SQ_HEAD);
        offset(all, "io_uring_params", "sq_off.tail", Layouts.PARAMS_SQ_TAIL);
        offset(all, "io_uring_params", "sq_off.array", Layouts.PARAMS_SQ_ARRAY);
        offset(all, "io_uring_params", "cq_off.head", Layouts.PARAMS_CQ_HEAD);
        offset(all, "io_uring_params", "cq_off.tail", Layouts.PARAMS_CQ_TAIL);
        offset(all, "io_uring_params", "cq_off.ring_mask", Layouts.PARAMS_CQ_MASK);
        offset(all, "io_uring_params", "cq_off.cqes", Layouts.PARAMS_CQ_CQES);
        size(all, "io_uring_buf", Layouts.BUF_SIZE);
        offset(all, "io_uring_buf", "addr", Layouts.BUF_ADDR);
        offset(all, "io_uring_buf", "len", Layouts.BUF_LEN);
        offset(all, "io_uring_buf", "bid", Layouts.BUF_BID);
        offset(all, "io_uring_buf_ring", "tail", Layouts.BUF_RING_TAIL);
        offset(all, "io_uring_buf_reg", "ring_addr", Layouts.BUF_REG_RING_ADDR);
        offset(all, "io_uring_buf_reg", "ring_entries", Layouts.BUF_REG_RING_ENTRIES);
        offset(all, "io_uring_buf_reg", "bgid", Layouts.BUF_REG_BGID);
        offset(all, "io_uring_rsrc_update", "offset", Layouts.RSRC_UPDATE_OFFSET);
        offset(all, "io_uring_rsrc_update", "data", Layouts.RSRC_UPDATE_DATA);
        size(all, "io_uring_getevents_arg", Layouts.GETEVENTS_ARG_SIZE);
        offset(all, "io_uring_getevents_arg", "ts", Layouts.GETEVENTS_ARG_TS);
        size(all, "__kernel_timespec", Layouts.TIMESPEC_SIZE);
        offset(all, "__kernel_timespec", "tv_nsec", Layouts.TIMESPEC_NSEC);
        size(all, "io_uring_probe", Layouts.PROBE_SIZE);
        size(all, "io_uring_probe_op", Layouts.PROBE_OP_SIZE);
        offset(all, "io_uring_probe_op", "flags", Layouts.PROBE_OP_FLAGS);
    }

    private static void requests(Map<String, Long> all) {
        size(all, "io_uring_sqe", Layouts.SQE_SIZE);
        offset(all, "io_uring_sqe", "opcode", Layouts.SQE_OPCODE);
        offset(all, "io_uring_sqe", "flags", Layouts.SQE_FLAGS);
        offset(all, "io_uring_sqe", "ioprio", Layouts.SQE_IOPRIO);
        offset(all, "io_uring_sqe", "fd", Layouts.SQE_FD);
        offset(all, "io_uring_sqe", "off", Layouts.SQE_OFF);
        offset(all, "io_uring_sqe", "addr", Layouts.SQE_ADDR);
        offset(all, "io_uring_sqe", "len", Layouts.SQE_LEN);
        offset(all, "io_uring_sqe", "msg_flags", Layouts.SQE_MSG_FLAGS);
        offset(all, "io_uring_sqe", "user_data", Layouts.SQE_USER_DATA);
        offset(all, "io_uring_sqe", "buf_group", Layouts.SQE_BUF_GROUP);
        offset(all, "io_uring_sqe", "addr3", Layouts.SQE_ADDR3);
        size(all, "io_uring_cqe", Layouts.CQE_SIZE);
        offset(all, "io_uring_cqe", "user_data", Layouts.CQE_USER_DATA);
        offset(all, "io_uring_cqe", "res", Layouts.CQE_RES);
        offset(all, "io_uring_cqe", "flags", Layouts.CQE_FLAGS);
    }

    private static void sockets(Map<String, Long> all) {
        all.put("SYS_epoll_pwait2", (long) Epoll.NR_PWAIT2);
        size(all, "epoll_event", Layouts.EPOLL_EVENT_SIZE);
        offset(all, "epoll_event", "events", Layouts.EPOLL_EVENT_EVENTS);
        offset(all, "epoll_event", "data", Layouts.EPOLL_EVENT_DATA);
        size(all, "sockaddr_in", Layouts.SOCKADDR_IN_SIZE);
        size(all, "sockaddr_in6", Layouts.SOCKADDR_IN6_SIZE);
        size(all, "ucred", Layouts.UCRED_SIZE);
        offset(all, "ucred", "pid", Layouts.UCRED_PID);
        offset(all, "sockaddr_un", "sun_family", Layouts.SOCKADDR_FAMILY);
        offset(all, "sockaddr_un", "sun_path", Layouts.SOCKADDR_UN_PATH);
        offset(all, "sockaddr_in", "sin_family", Layouts.SOCKADDR_FAMILY);
        offset(all, "sockaddr_in", "sin_port", Layouts.SOCKADDR_PORT);
        offset(all, "sockaddr_in", "sin_addr", Layouts.SOCKADDR_IN_ADDR);
        offset(all, "sockaddr_in6", "sin6_family", Layouts.SOCKADDR_FAMILY);
        offset(all, "sockaddr_in6", "sin6_port", Layouts.SOCKADDR_PORT);
        offset(all, "sockaddr_in6", "sin6_addr", Layouts.SOCKADDR_IN6_ADDR);
        offset(all, "sockaddr_in6", "sin6_scope_id", Layouts.SOCKADDR_IN6_SCOPE);
    }

    private static void constants(Map<String, Long> all) {
        all.put("IORING_SETUP_CQSIZE", (long) Ring.SETUP_CQSIZE);
        all.put("IORING_SETUP_CLAMP", (long) Ring.SETUP_CLAMP);
        all.put("IORING_SETUP_SUBMIT_ALL", (long) Ring.SETUP_SUBMIT_ALL);
        all.put("IORING_SETUP_SINGLE_ISSUER", (long) Ring.SETUP_SINGLE_ISSUER);
        all.put("IORING_SETUP_DEFER_TASKRUN", (long) Ring.SETUP_DEFER_TASKRUN);
        all.put("IORING_FEAT_SINGLE_MMAP", (long) Ring.FEAT_SINGLE_MMAP);
        all.put("IORING_FEAT_NODROP", (long) Ring.FEAT_NODROP);
        all.put("IORING_FEAT_EXT_ARG", (long) Ring.FEAT_EXT_ARG);
        all.put("IORING_FEAT_CQE_SKIP", (long) Ring.FEAT_CQE_SKIP);
        all.put("IORING_ENTER_GETEVENTS", (long) Ring.ENTER_GETEVENTS);
        all.put("IORING_ENTER_EXT_ARG", (long) Ring.ENTER_EXT_ARG);
        all.put("IORING_ENTER_REGISTERED_RING", (long) Ring.ENTER_REGISTERED_RING);
        all.put("IORING_REGISTER_PROBE", (long) Ring.REGISTER_PROBE);
        all.put("IORING_REGISTER_RING_FDS", (long) Ring.REGISTER_RING_FDS);
        all.put("IORING_UNREGISTER_RING_FDS", (long) Ring.UNREGISTER_RING_FDS);
        all.put("IORING_REGISTER_PBUF_RING", (long) Ring.REGISTER_PBUF_RING);
        all.put("IORING_OP_CONNECT", (long) Ring.OP_CONNECT);
        all.put("IORING_OP_CLOSE", (long) Ring.OP_CLOSE);
        all.put("IORING_OP_SEND", (long) Ring.OP_SEND);
        all.put("IORING_OP_RECV", (long) Ring.OP_RECV);
        all.put("IO_URING_OP_SUPPORTED", (long) Ring.OP_SUPPORTED);
        all.put("IOSQE_BUFFER_SELECT", (long) Ring.SQE_BUFFER_SELECT);
        all.put("IOSQE_CQE_SKIP_SUCCESS", (long) Ring.SQE_CQE_SKIP_SUCCESS);
        all.put("IORING_RECVSEND_POLL_FIRST", (long) Ring.POLL_FIRST);
        all.put("IORING_RECV_MULTISHOT", (long) Ring.RECV_MULTISHOT);
        all.put("IORING_CQE_F_BUFFER", (long) Ring.CQE_BUFFER);
        all.put("IORING_CQE_F_MORE", (long) Ring.MORE);
        all.put("IORING_CQE_BUFFER_SHIFT", (long) Ring.CQE_BUFFER_SHIFT);
        all.put("IORING_OFF_SQES", Ring.OFF_SQES);
        all.put("SYS_io_uring_setup", (long) Ring.NR_SETUP);
        all.put("SYS_io_uring_enter", (long) Ring.NR_ENTER);
        all.put("SYS_io_uring_register", (long) Ring.NR_REGISTER);
    }

    private static void socketConstants(Map<String, Long> all) {
        all.put("AF_UNIX", (long) Sockets.AF_UNIX);
        all.put("SO_PEERCRED", (long) Sockets.SO_PEERCRED);
        all.put("AF_INET", (long) Sockets.AF_INET);
        all.put("AF_INET6", (long) Sockets.AF_INET6);
        all.put("SOCK_STREAM", (long) Sockets.SOCK_STREAM);
        all.put("SOCK_NONBLOCK", (long) Sockets.SOCK_NONBLOCK);
        all.put("SOCK_CLOEXEC", (long) Sockets.SOCK_CLOEXEC);
        all.put("SOL_SOCKET", (long) Sockets.SOL_SOCKET);
        all.put("SO_REUSEADDR", (long) Sockets.SO_REUSEADDR);
        all.put("SO_ERROR", (long) Sockets.SO_ERROR);
        all.put("IPPROTO_TCP", (long) Sockets.IPPROTO_TCP);
        all.put("IPPROTO_IP", (long) Sockets.IPPROTO_IP);
        all.put("TCP_NODELAY", (long) Sockets.TCP_NODELAY);
        all.put("SO_KEEPALIVE", (long) Sockets.SO_KEEPALIVE);
        all.put("TCP_KEEPIDLE", (long) Sockets.TCP_KEEPIDLE);
        all.put("TCP_KEEPINTVL", (long) Sockets.TCP_KEEPINTVL);
        all.put("TCP_KEEPCNT", (long) Sockets.TCP_KEEPCNT);
        all.put("IP_BIND_ADDRESS_NO_PORT", (long) Sockets.IP_BIND_ADDRESS_NO_PORT);
        all.put("MSG_NOSIGNAL", (long) Sockets.MSG_NOSIGNAL);
        all.put("MSG_WAITALL", (long) Sockets.MSG_WAITALL);
        all.put("PR_SET_TIMERSLACK", (long) TimerSlack.PR_SET_TIMERSLACK);
        all.put("SHUT_RDWR", (long) Sockets.SHUT_RDWR);
        all.put("F_SETFL", (long) Sockets.F_SETFL);
        all.put("EPOLLIN", (long) Epoll.IN);
        all.put("EPOLLOUT", (long) Epoll.OUT);
        all.put("EPOLLERR", (long) Epoll.ERR);
        all.put("EPOLLHUP", (long) Epoll.HUP);
        all.put("EPOLLRDHUP", (long) Epoll.RDHUP);
        all.put("(int) EPOLLET", (long) Epoll.EDGE);
        all.put("EPOLL_CTL_ADD", (long) Epoll.CTL_ADD);
        all.put("EPOLL_CLOEXEC", (long) Epoll.CLOEXEC);
        all.put("PROT_READ | PROT_WRITE", (long) Memory.PROT_READ_WRITE);
        all.put("MAP_SHARED", (long) Memory.MAP_SHARED);
        all.put("MAP_PRIVATE | MAP_ANONYMOUS", (long) Memory.MAP_PRIVATE_ANONYMOUS);
        all.put("MAP_POPULATE", (long) Memory.MAP_POPULATE);
    }

    private static void links(Map<String, Long> all) {
        size(all, "ifreq", Layouts.IFREQ_SIZE);
        offset(all, "ifreq", "ifr_flags", Layouts.IFREQ_FLAGS);
        all.put("TUNSETIFF", Tun.SET_INTERFACE);
        all.put("IFF_TUN", (long) Tun.TUN);
        all.put("IFF_NO_PI", (long) Tun.NO_PACKET_INFORMATION);
        all.put("IFLA_TXQLEN", (long) Route.IFLA_TXQLEN);
    }

    private static void size(Map<String, Long> all, String struct, long bytes) {
        all.put("sizeof(struct " + struct + ")", bytes);
    }

    private static void offset(Map<String, Long> all, String struct, String field, long bytes) {
        all.put("offsetof(struct " + struct + ", " + field + ")", bytes);
    }
}
