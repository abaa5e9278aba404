package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome.Requests;

/// Delays of 0.2 to 2 ms. 2 % of them are less than 50 us, so the bound of 50 us decides. Both ends
/// read one clock (CLOCK_MONOTONIC, by System.nanoTime), so stamps can be compared directly.
///
/// The server stamps a request when its read returns, and the answer just before its write. The
/// engine additionally sees the way through the kernel and back: two sends and two wake-ups, 25 to
/// 50 us on a virtual machine, which is most of the bound. So the test also measures this way, with
/// a client of one blocking write and read on the same CPU with the same priority. Each percentile
/// must agree with the stamps in one of several attempts. If it never does, the engine is at fault
/// if the way alone left it `OWN_NANOS_MIN`, otherwise the host.
@Tag("slow")
@Tag("long") // on a host that is shared, fifty microseconds are now and then the host's
@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class ShortDelaysTest {
    private static final int REQUESTS = 400;
    private static final int WARM_REQUESTS = 2_000;
    private static final int WARM_ROUNDS = 3;
    private static final int ATTEMPTS = 12;
    private static final long DELAY_NANOS_MIN = 200_000;
    private static final long DELAY_NANOS_MAX = 2_000_000;
    private static final long WITHIN_NANOS = 50_000;

    /// The part of the 50 us that must remain for the engine.
    private static final long OWN_NANOS_MIN = 20_000;

    private static final double[] PERCENTILES = {10, 50, 75, 90, 99};

    @Parameter EngineChoice engine;

    @Test
    void each_percentile_is_within_fifty_microseconds_of_the_stamps() {
        for (int round = 0; round < WARM_ROUNDS; round++) {
            drive(WARM_REQUESTS, since -> 0);
            way(WARM_REQUESTS, since -> 0);
        }
        Map<Double, String> apart = new LinkedHashMap<>();
        for (double percentile : PERCENTILES) {
            apart.put(percentile, "");
        }
        long wayNanosMin = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && !apart.isEmpty(); attempt++) {
            wayNanosMin = Math.min(wayNanosMin, way(REQUESTS, delays()));
            compare(drive(REQUESTS, delays()), apart);
        }
        assumeTrue(
                apart.isEmpty() || wayNanosMin <= WITHIN_NANOS - OWN_NANOS_MIN,
                "the kernel's way there and back alone takes %d us here; %s"
                        .formatted(wayNanosMin / 1000, apart));
        assertThat(apart).as("way %d us", wayNanosMin / 1000).isEmpty();
    }

    /// What the engine measured, and what the stamps of the server show.
    private record Answer(Histogram reported, Histogram stamped) {}

    private static void compare(Answer answer, Map<Double, String> apart) {
        for (double percentile : PERCENTILES) {
            long expected = answer.stamped().getValueAtPercentile(percentile);
            long actual = answer.reported().getValueAtPercentile(percentile);
            if (Math.abs(actual - expected) <= Math.max(WITHIN_NANOS, expected / 50)) {
                apart.remove(percentile);
            } else {
                apart.computeIfPresent(
                        percentile,
                        (_, _) -> "%d us, not %d".formatted(actual / 1000, expected / 1000));
            }
        }
    }

    private static LongUnaryOperator delays() {
        RandomGenerator random = new SplittableRandom(17);
        return _ -> random.nextLong(DELAY_NANOS_MIN, DELAY_NANOS_MAX);
    }

    private Answer drive(int requests, LongUnaryOperator delay) {
        try (StampingServer server = new StampingServer(requests, delay)) {
            PlanMaker plan =
                    new PlanMaker(server.address()).engine(engine).arrival(new Arrival.Closed());
            plan.enterThread(Undisturbed::here);
            Requests outcome = SmallLoad.run(plan.make(), requests, Duration.ofSeconds(30));
            assertThat(outcome.answered()).isEqualTo(requests);
            return new Answer(outcome.times().serviceNanos(), server.services());
        }
    }

    /// The median time through the kernel and back, without an engine.
    private static long way(int requests, LongUnaryOperator delay) {
        Histogram seen = Tally.histogram();
        try (StampingServer server = new StampingServer(requests, delay)) {
            Thread client = Thread.ofPlatform().start(() -> ask(server, requests, seen));
            client.join();
            return seen.getValueAtPercentile(50) - server.services().getValueAtPercentile(50);
        } catch (InterruptedException e) {
            throw new TestAbortedException("interrupted", e);
        }
    }

    private static void ask(StampingServer server, int requests, Histogram seen) {
        Undisturbed.here();
        byte[] request =
                "GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        byte[] answer = new byte[4096];
        try (Socket socket = new Socket()) {
            socket.connect(server.address());
            socket.setTcpNoDelay(true);
            for (int i = 0; i < requests; i++) {
                long sent = System.nanoTime();
                socket.getOutputStream().write(request);
                if (socket.getInputStream().read(answer) <= 0) {
                    return;
                }
                seen.recordValue(System.nanoTime() - sent);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
