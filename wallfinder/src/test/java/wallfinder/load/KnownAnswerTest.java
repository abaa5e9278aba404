package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome.Requests;

/// A server with known delays stamps each request with the clock of the engine. The engine's report
/// must agree with the stamps within 2 % or 50 us, whichever is larger.
///
/// The threads of server and engine get a CPU immediately if this user may request it. If the host
/// stops a whole CPU, the two disagree, so the measurement is repeated a few times. A wrong engine
/// never agrees.
@Tag("slow")
@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record KnownAnswerTest(EngineChoice engine) {
    private static final int REQUESTS = 100;
    private static final long DISTANCE_NANOS = 40_000_000;
    private static final long DELAY_NANOS = 20_000_000;
    private static final long STALL_NANOS = 200_000_000;
    private static final long PERIOD_NANOS = 2_000_000_000;
    private static final int ATTEMPTS = 5;
    private static final int WARM_REQUESTS = 1_000;
    private static final int WARM_ROUNDS_MAX = 12;
    private static final double[] BULK = {50, 90};
    private static final double[] TAIL = {99, 99.9, 100};

    /// What the engine measured, and what the stamps of the server show.
    private record Answer(
            Requests reported, Histogram responses, Histogram services, HostNoise noise) {
        String differences(double... percentiles) {
            return KnownAnswerTest.differences(
                            "response", reported.responseNanos(), responses, percentiles)
                    + KnownAnswerTest.differences(
                            "service", reported.times().serviceNanos(), services, percentiles);
        }
    }

    @Test
    void a_server_that_stalls_a_tenth_of_the_time_is_reported_as_its_stamps_show() {
        Arrival rate = new Arrival.Rate(1e9 / DISTANCE_NANOS);
        Requests outcome =
                agreed(() -> drive(rate, KnownAnswerTest::stalling, DISTANCE_NANOS)).reported();
        // Includes every request that was due in the stall; the service itself is fast.
        assertThat(outcome.responseNanos().getValueAtPercentile(90))
                .isGreaterThan(STALL_NANOS / 4)
                .isGreaterThan(2 * outcome.times().serviceNanos().getValueAtPercentile(90));
    }

    @Test
    void delays_of_a_known_distribution_are_reported_as_the_server_stamps_them() {
        agreed(() -> {
            RandomGenerator random = new SplittableRandom(7);
            return drive(
                    new Arrival.Closed(),
                    since -> (long) (15e6 * (0.4 - Math.log(1 - random.nextDouble()))),
                    0);
        });
    }

    /// In a closed loop response time and service time are equal; the stall is one slow answer.
    @Test
    void a_closed_loop_sees_a_stall_only_in_its_slowest_answers() {
        Requests outcome =
                agreed(() -> drive(new Arrival.Closed(), KnownAnswerTest::stalling, 0)).reported();
        assertThat(outcome.responseNanos().getMaxValue()).isGreaterThan(STALL_NANOS);
        assertThat(outcome.responseNanos().getValueAtPercentile(90)).isLessThan(STALL_NANOS / 4);
    }

    /// Measures until both agree, or the attempts are used up. An occasionally late host spoils the
    /// highest percentiles, a permanently late one the others too. Only this excuses a
    /// disagreement.
    private Answer agreed(Supplier<Answer> measure) {
        warm();
        String bulk = "";
        String tail = "";
        boolean wakes = false;
        boolean quiet = false;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Answer answer = measure.get();
            assertThat(answer.reported().answered()).isEqualTo(REQUESTS);
            bulk = answer.differences(BULK);
            tail = answer.differences(TAIL);
            if (bulk.isEmpty() && tail.isEmpty()) {
                return answer;
            }
            wakes |= answer.noise().wakesInTime();
            quiet |= answer.noise().wasQuiet();
        }
        assumeTrue(
                bulk.isEmpty() ? quiet : wakes,
                "this host wakes its threads too late for stamps to agree; last: " + bulk + tail);
        throw new AssertionError("not what the server stamped, in us: " + bulk + tail);
    }

    /// New code is slower by tenths of a millisecond at both ends, and the compiler needs longer on
    /// a busy host. The code is warm when it becomes no faster.
    private void warm() {
        long before = Long.MAX_VALUE;
        for (int round = 0; round < WARM_ROUNDS_MAX; round++) {
            long median = warmRound();
            if (median > before * 9 / 10) {
                return;
            }
            before = median;
        }
    }

    private long warmRound() {
        try (StampingServer server = new StampingServer(WARM_REQUESTS, since -> 0)) {
            PlanMaker plan = new PlanMaker(server.address()).engine(engine);
            plan.enterThread(Undisturbed::here);
            Requests outcome = SmallLoad.run(plan.make(), WARM_REQUESTS, Duration.ofSeconds(20));
            return outcome.times().serviceNanos().getValueAtPercentile(50);
        }
    }

    private Answer drive(Arrival arrival, LongUnaryOperator delay, long distanceNanos) {
        try (StampingServer server = new StampingServer(REQUESTS, delay)) {
            PlanMaker plan = new PlanMaker(server.address()).engine(engine).arrival(arrival);
            plan.enterThread(Undisturbed::here);
            Requests outcome;
            HostNoise noise = HostNoise.listen();
            try (noise) {
                outcome = SmallLoad.run(plan.make(), REQUESTS, Duration.ofSeconds(20));
            }
            Histogram services = server.services();
            Histogram responses = distanceNanos > 0 ? server.responses(distanceNanos) : services;
            return new Answer(outcome, responses, services, noise);
        }
    }

    /// The first tenth of each period is a stall without answers.
    private static long stalling(long sinceFirstNanos) {
        long inPeriod = sinceFirstNanos % PERIOD_NANOS;
        return Math.max(0, STALL_NANOS - inPeriod) + DELAY_NANOS;
    }

    /// The values that differ by more than 2 % and more than 50 us, in microseconds.
    private static String differences(
            String which, Histogram reported, Histogram stamped, double... percentiles) {
        StringBuilder differences = new StringBuilder();
        for (double percentile : percentiles) {
            long expected = stamped.getValueAtPercentile(percentile);
            long actual = reported.getValueAtPercentile(percentile);
            if (Math.abs(actual - expected) > Math.max(50_000, expected / 50)) {
                differences.append(
                        "%s p%s %d, not %d; "
                                .formatted(which, percentile, actual / 1000, expected / 1000));
            }
        }
        return differences.toString();
    }
}
