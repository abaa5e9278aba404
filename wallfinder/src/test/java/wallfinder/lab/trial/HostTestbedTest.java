package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostTestbedTest {
    /// As of `localhost`, which may be 127.0.0.1 and ::1.
    @Test
    void of_several_addresses_the_first_one_that_answers_is_chosen() throws Exception {
        InetAddress one = InetAddress.getByName("127.0.0.1");
        InetAddress other = InetAddress.getByName("127.0.0.2");
        int port;
        try (ServerSocket service = new ServerSocket(0, 10, other)) {
            port = service.getLocalPort();
            assertThat(HostTestbed.chosen(List.of(one, other), port))
                    .isEqualTo(new InetSocketAddress(other, port));
        }
        assertThat(HostTestbed.chosen(List.of(one, other), port))
                .as("none answers")
                .isEqualTo(new InetSocketAddress(one, port));
    }
}
