package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;

/// Requests that measure the latency without load.
class ProbeTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int REQUESTS = 500;
    private static final long PERIOD_NANOS = 60_000_000;
    private static final long STOP_NANOS = 20_000_000;
    private static final long SLOW_NANOS = 2_000_000;

    /// Answers at once, except in the first 20 ms of every 60 ms.
    private static ScriptedServer stopping() {
        return new ScriptedServer(visit -> {
            while (visit.readRequest()) {
                long phase = Math.floorMod(System.nanoTime(), PERIOD_NANOS);
                if (phase < STOP_NANOS) {
                    LockSupport.parkNanos(STOP_NANOS - phase);
                }
                visit.answer(ScriptedServer.OK);
            }
        });
    }

    private static double slowShare(Arrival arrival) {
        try (ScriptedServer server = stopping()) {
            LoadPlan plan = new PlanMaker(server.address()).arrival(arrival).make();
            Histogram alone = SmallLoad.probe(plan, REQUESTS, LONG).responseNanos();
            return (double) alone.getCountBetweenValues(SLOW_NANOS, alone.getMaxValue())
                    / alone.getTotalCount();
        }
    }

    @Test
    void sequential_requests_rarely_meet_a_stop_of_the_service() {
        assertThat(slowShare(new Arrival.Closed())).isLessThan(0.1);
    }

    @Test
    void an_open_loop_is_compared_with_requests_that_meet_stops_equally_often() {
        assertThat(slowShare(new Arrival.Rate(100))).isGreaterThan(0.15);
    }
}
