package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DescriptorTableTest {
    private static final int OPENED = 500;

    private record Seen(int openBefore, long sockets, long files, int openWithMore) {}

    @Test
    void a_thread_with_its_own_table_keeps_files_and_closes_sockets() throws Exception {
        AtomicReference<Object> seen = new AtomicReference<>();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FileInputStream file = new FileInputStream("/proc/self/maps")) {
            assertThat(listener.isBound()).isTrue();
            assertThat(file.getFD().valid()).isTrue();
            Thread thread = Thread.ofPlatform().start(() -> seen.set(inside()));
            thread.join();
        }
        assertThat(seen.get())
                .isInstanceOfSatisfying(
                        Seen.class,
                        counts -> {
                            assertThat(counts.sockets).isZero();
                            assertThat(counts.files).isPositive();
                            assertThat(counts.openWithMore)
                                    .isGreaterThanOrEqualTo(counts.openBefore + OPENED);
                        });
        assertThat(DescriptorTable.openCount()).isLessThan(OPENED);
    }

    private static Object inside() {
        try {
            DescriptorTable.unshare();
            int before = DescriptorTable.openCount();
            Sockets sockets = new Sockets();
            long inherited = links("socket:");
            for (int i = 0; i < OPENED; i++) {
                assertThat(sockets.open(false)).isNotNegative();
            }
            return new Seen(before, inherited, links("/"), DescriptorTable.openCount());
        } catch (Throwable e) {
            return e;
        }
    }

    private static long links(String prefix) throws Exception {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/thread-self/fd"))) {
            return descriptors.filter(d -> link(d).startsWith(prefix)).count();
        }
    }

    private static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (java.io.IOException e) {
            return "";
        }
    }
}
