package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RouteTest {
    /// Works in a new thread, whose namespace ends with the thread.
    private static <T> T inNewNamespace(Callable<T> work) throws Exception {
        FutureTask<T> task =
                new FutureTask<>(() -> {
                    Namespaces.unshareNetwork();
                    return work.call();
                });
        Thread.ofPlatform().start(task);
        return task.get(20, TimeUnit.SECONDS);
    }

    @Test
    @Tag("sandbox")
    void the_loopback_of_a_new_namespace_works_once_it_is_up() throws Exception {
        boolean up =
                inNewNamespace(() -> {
                    InetAddress loopback = InetAddress.getByName("127.0.0.1");
                    try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
                        int port = server.getLocalPort();
                        assertThatThrownBy(() -> new Socket(loopback, port).close())
                                .isInstanceOf(IOException.class);
                        try (Route route = Route.open()) {
                            route.up("lo");
                        }
                        new Socket(loopback, port).close();
                    }
                    return true;
                });
        assertThat(up).isTrue();
    }

    @Test
    @Tag("sandbox")
    void an_error_of_the_kernel_names_the_address() throws Exception {
        SyscallException refused =
                inNewNamespace(() -> {
                    try (Route route = Route.open()) {
                        InetAddress address = InetAddress.getByName("10.0.0.1");
                        route.add("lo", address, 32);
                        route.add("lo", address, 32);
                        throw new AssertionError("the same address was added twice");
                    } catch (SyscallException e) {
                        return e;
                    }
                });
        assertThat(refused.errno()).isEqualTo(Errno.EEXIST);
        assertThat(refused).hasMessageContaining("10.0.0.1");
    }

    @Test
    void the_error_for_a_missing_link_names_the_link() {
        try (Route route = Route.open()) {
            assertThatThrownBy(() -> route.up("no-such-link"))
                    .isInstanceOfSatisfying(
                            SyscallException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                    .hasMessageContaining("no-such-link");
        }
    }

    @Test
    void a_virtual_thread_cannot_unshare_its_network() throws Exception {
        FutureTask<Boolean> task =
                new FutureTask<>(() -> {
                    Namespaces.unshareNetwork();
                    return true;
                });
        Thread.ofVirtual().start(task);
        assertThatThrownBy(() -> task.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class);
    }
}
