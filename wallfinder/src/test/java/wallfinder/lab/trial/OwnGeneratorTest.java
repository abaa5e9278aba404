package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.session.SampleContext;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

@Timeout(60)
class OwnGeneratorTest {
    private static final long BOUND_SECONDS = 20;

    /// The service answers only after that. A load waits two seconds for its last answers.
    @Test
    void the_last_readings_of_another_host_are_asked_for_before_the_last_answers(
            @TempDir Path folder) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    await(asked);
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        server.start();
        LoadSpec.Http http =
                Gets.of(
                        "http://127.0.0.1:%d/".formatted(server.getAddress().getPort()),
                        1,
                        true,
                        Duration.ofMillis(500));
        try (RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve("locks"))) {
            RunContext context = SampleContext.of(folder, lock, line -> {});
            WatchedElsewhere watch = new WatchedElsewhere(0, asked::countDown);
            try (HostTestbed testbed =
                    new HostTestbed(http, Origin.parse(null, null), watch, context)) {
                Generator.Asked load =
                        new Generator.Asked(http, 1, http.duration(), false, null, null);
                Generator.Measured measured =
                        new OwnGenerator(testbed, http, context).measure(load);
                assertThat(measured.both().observation().load().answered()).isPositive();
            }
        } finally {
            asked.countDown();
            server.stop(0);
        }
    }

    private static void await(CountDownLatch fact) {
        try {
            assertThat(fact.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
