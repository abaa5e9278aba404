package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;

/// A server with known delays stamps each request by the clock that the engine reads too. What the
/// engine reports must agree with the stamps.
///
/// On a busy host the engine sees an answer later than the server stamped it, so a disagreement is
/// measured again, a bounded number of times; a wrong engine never agrees.
@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record KnownAnswerTest(EngineChoice engine) {
    private static final int REQUESTS = 100;
    private static final long DISTANCE_NANOS = 40_000_000;
    private static final long DELAY_NANOS = 20_000_000;
    private static final long STALL_NANOS = 200_000_000;
    private static final long PERIOD_NANOS = 2_000_000_000;
    private static final int ATTEMPTS = 6;
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

    @Test
    void a_server_that_stalls_a_tenth_of_the_time_shows_as_its_own_stamps_say() {
        String differences = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Stamps stamps = new Stamps();
            LoadOutcome outcome = drive(stamps);
            assertThat(outcome.answered()).isEqualTo(REQUESTS);
            assertThat(outcome.responseNanos().getValueAtPercentile(90))
                    .isGreaterThan(STALL_NANOS / 3);
            differences =
                    differences(outcome.responseNanos(), stamps.responses())
                            + differences(outcome.serviceNanos(), stamps.services());
            if (differences.isEmpty()) {
                assertThat(outcome.serviceNanos().getValueAtPercentile(90))
                        .isLessThan(outcome.responseNanos().getValueAtPercentile(90) / 2);
                return;
            }
        }
        assertThat(differences).isEmpty();
    }

    private LoadOutcome drive(Stamps stamps) {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    for (int i = 0; i < REQUESTS && visit.readRequest(); i++) {
                        stamps.received[i] = System.nanoTime();
                        delay(stamps.received[i] - stamps.received[0]);
                        stamps.answered[i] = System.nanoTime();
                        visit.answer(ScriptedServer.OK);
                    }
                    visit.awaitClient();
                })) {
            PlanMaker plan = new PlanMaker(server.address()).engine(engine);
            plan.arrival(new Arrival.Rate(1e9 / DISTANCE_NANOS));
            return Load.run(plan.make(), REQUESTS, Duration.ofSeconds(20));
        }
    }

    /// The first tenth of each period is a stall, which nothing is answered in.
    private static void delay(long sinceFirstNanos) {
        long inPeriod = sinceFirstNanos % PERIOD_NANOS;
        long stall = Math.max(0, STALL_NANOS - inPeriod);
        LockSupport.parkNanos(stall + DELAY_NANOS);
    }

    /// What is off by more than 2 % and more than 50 us.
    private static String differences(Histogram reported, Histogram stamped) {
        StringBuilder differences = new StringBuilder();
        for (double percentile : PERCENTILES) {
            long expected = stamped.getValueAtPercentile(percentile);
            long actual = reported.getValueAtPercentile(percentile);
            if (Math.abs(actual - expected) > Math.max(50_000, expected / 50)) {
                differences.append("p%s %d, not %d; ".formatted(percentile, actual, expected));
            }
        }
        return differences.toString();
    }

    /// Over one connection requests come in the order in which they were due.
    private static final class Stamps {
        private final long[] received = new long[REQUESTS];
        private final long[] answered = new long[REQUESTS];

        private Histogram services() {
            Histogram services = Tally.histogram();
            IntStream.range(0, REQUESTS)
                    .forEach(i -> services.recordValue(answered[i] - received[i]));
            return services;
        }

        /// The engine's start is not told, but the request that came earliest against the schedule
        /// came no later than a wake-up and a loopback after it was due.
        private Histogram responses() {
            long start =
                    IntStream.range(0, REQUESTS)
                            .mapToLong(i -> received[i] - i * DISTANCE_NANOS)
                            .min()
                            .orElseThrow();
            Histogram responses = Tally.histogram();
            IntStream.range(0, REQUESTS)
                    .forEach(i -> responses.recordValue(answered[i] - start - i * DISTANCE_NANOS));
            return responses;
        }
    }
}
