package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;

/// Requests that measure the latency without load. The service answers at once, except in the first
/// 20 ms of every 60 ms.
class ProbeTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int REQUESTS = 500;
    private static final long PERIOD_NANOS = 60_000_000;
    private static final long STOP_NANOS = 20_000_000;
    private static final long SLOW_NANOS = 2_000_000;

    /// An answer that takes longer than a millisecond is not quick. This is clearly less.
    private static final long QUICK_NANOS = 700_000;

    private volatile int asked;
    private volatile int stopped;
    private volatile long begunNanos;
    private volatile long sequenceNanos;

    private void count(long now) {
        asked++;
        if (asked == 1) {
            begunNanos = now;
        } else if (asked == REQUESTS) {
            sequenceNanos = now - begunNanos;
        }
    }

    private ScriptedServer stopping() {
        return new ScriptedServer(visit -> {
            while (visit.readRequest()) {
                long now = System.nanoTime();
                count(now);
                long phase = Math.floorMod(now, PERIOD_NANOS);
                if (phase < STOP_NANOS) {
                    stopped++;
                    LockSupport.parkNanos(STOP_NANOS - phase);
                }
                visit.answer(ScriptedServer.OK);
            }
        });
    }

    private Histogram probed(Arrival arrival) {
        try (ScriptedServer server = stopping()) {
            LoadPlan plan = new PlanMaker(server.address()).arrival(arrival).make();
            return SmallLoad.probe(plan, REQUESTS, LONG).responseNanos();
        }
    }

    @Test
    void sequential_requests_rarely_meet_a_stop_of_the_service() {
        probed(new Arrival.Closed());
        assertThat(asked).isEqualTo(REQUESTS);
        assertThat(stopped).isLessThan(REQUESTS / 10);
    }

    /// Requests that come due during a stop wait for the connection, so the service stops only one
    /// of them.
    @Test
    void an_open_loop_is_compared_with_requests_that_meet_stops_equally_often() {
        Histogram alone = probed(new Arrival.Rate(100));
        assumeTrue(
                sequenceNanos < REQUESTS * QUICK_NANOS, "the host is too busy for quick answers");
        assertThat(alone.getCountBetweenValues(SLOW_NANOS, alone.getMaxValue()))
                .isGreaterThan(2L * stopped);
    }
}
