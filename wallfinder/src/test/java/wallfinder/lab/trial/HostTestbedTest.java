package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.SampleContext;
import wallfinder.observation.Doubt;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

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

    @Test
    void leftovers_beside_a_load_at_a_url_are_doubted(@TempDir Path folder) throws Exception {
        try (ServerSocket service = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve("locks"))) {
            RunContext context = SampleContext.of(folder, lock, line -> {});
            String url = "http://127.0.0.1:" + service.getLocalPort() + "/";
            LoadSpec.Http http = Gets.of(url, 1, true, Duration.ofSeconds(1));
            try (HostTestbed testbed =
                    new HostTestbed(http, Origin.parse(null, null), null, context)) {
                assertThat(testbed.facts().caveats())
                        .anyMatch(caveat -> caveat.is(Doubt.LEFTOVERS));
            }
        }
    }
}
