package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Simulated clocks whose difference is known.
class ClockLineTest {
    private static final double OFFSET = 7.5e15;
    private static final double SECOND = 1e9;
    private static final double MILLI = 1e6;

    /// The other clock, which is faster by `drift` and may jump.
    private record Clock(double drift, double jumpAt, double jump) {
        long at(double ours) {
            return Math.round(ours + OFFSET + drift * ours + (ours >= jumpAt ? jump : 0));
        }
    }

    /// A run of 60 s on a path whose two ways take different and varying times.
    private static List<RoundTrip> trips(Clock clock, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<RoundTrip> trips = new ArrayList<>();
        double time = 0;
        for (int i = 0; i < 46; i++) {
            boolean batch = i < ClockLine.BATCH || i >= 46 - ClockLine.BATCH;
            double there = MILLI * (0.1 + random.nextDouble(2));
            double back = MILLI * (0.1 + random.nextDouble(2));
            double arrived = time + there;
            double answered = arrived + MILLI * random.nextDouble();
            trips.add(
                    new RoundTrip(
                            Math.round(time),
                            clock.at(arrived),
                            clock.at(answered),
                            Math.round(answered + back)));
            time = answered + back + (batch ? 0 : 2 * SECOND);
        }
        return trips;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void each_instant_is_within_the_bound_although_the_clocks_drift(long seed) {
        Clock clock = new Clock(200e-6, Double.MAX_VALUE, 0); // 12 ms in a minute
        ClockLine line = ClockLine.of(trips(clock, seed));
        for (double ours = 0; ours < 60 * SECOND; ours += SECOND) {
            assertThat((double) line.oursNanos(clock.at(ours)))
                    .isCloseTo(ours, within(line.boundNanos() + 1_000));
        }
        assertThat(line.boundNanos()).isLessThan(2.2 * MILLI);
        assertThat(line.strayNanos()).isZero();
        assertThat(line.drift()).isCloseTo(200e-6, within(80e-6));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_clock_that_jumps_contradicts_the_line_and_widens_the_bound(long seed) {
        Clock clock = new Clock(0, 30 * SECOND, 2 * SECOND);
        ClockLine line = ClockLine.of(trips(clock, seed));
        assertThat(line.strayNanos()).isGreaterThan(0.5 * SECOND);
        for (double ours = 0; ours < 60 * SECOND; ours += SECOND) {
            assertThat((double) line.oursNanos(clock.at(ours)))
                    .isCloseTo(ours, within(line.boundNanos() + 0.1 * SECOND));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 9})
    void a_few_round_trips_give_an_offset(int count) {
        Clock clock = new Clock(0, Double.MAX_VALUE, 0);
        ClockLine line = ClockLine.of(trips(clock, 1).subList(0, count));
        assertThat((double) line.oursNanos(clock.at(5)))
                .isCloseTo(5, within(line.boundNanos() + 1));
        assertThat(line.boundNanos()).isPositive();
    }
}
