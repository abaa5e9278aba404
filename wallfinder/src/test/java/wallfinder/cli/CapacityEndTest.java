package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.record.CapacityRecord;
import wallfinder.record.SampleCapacity;

/// What a bound of the capacity makes of a result.
class CapacityEndTest {
    private static Capacity.Result result(Capacity.End end, CapacityRecord capacity) {
        return new Capacity.Result(List.of(), capacity, end, "why it ended", null);
    }

    private static CapacityRecord found(double low, double high) {
        return SampleCapacity.run(400, low, high).capacity();
    }

    private static Objective asking(String bounds) {
        return Objective.parse("p99 < 50ms" + bounds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    380 | 420      | ""                               | 0
                    380 | 420      | ", capacity > 300"               | 0
                    380 | 420      | ", capacity > 390"               | 0
                    380 | 420      | ", capacity > 410"               | 0
                    380 | 420      | ", capacity > 430"               | 1
                    380 | 420      | ", capacity > 300, capacity > 1k"| 1
                    0   | Infinity | ""                               | 0
                    0   | Infinity | ", capacity > 300"               | 4
                    """)
    void a_capacity_fails_only_if_its_whole_interval_is_too_small(
            double low, double high, String bounds, int code) {
        Capacity.Result result = result(Capacity.End.FOUND, found(low, high));
        assertThat(CapacityEnd.code(asking(bounds), result)).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    ""                               | 4
                    ", capacity > 300"               | 0
                    ", capacity > 410"               | 4
                    ", capacity > 300, capacity > 1k"| 4
                    """)
    void at_the_generators_limit_a_lower_bound_may_be_enough(String bounds, int code) {
        Capacity.Result result = result(Capacity.End.GENERATOR, SampleCapacity.atLeast(400));
        assertThat(CapacityEnd.code(asking(bounds), result)).isEqualTo(code);
    }

    @Test
    void what_is_not_proven_is_said() {
        Objective asking = asking(", capacity > 300, capacity > 410");
        assertThat(CapacityEnd.ended(asking, result(Capacity.End.FOUND, found(380, 420))))
                .isEqualTo(
                        "why it ended. 'capacity > 410.0/s' is proven neither way: the bound is"
                                + " within the interval");
        assertThat(
                        CapacityEnd.ended(
                                asking(", capacity > 300"),
                                result(Capacity.End.FOUND, found(0, Double.POSITIVE_INFINITY))))
                .isEqualTo(
                        "why it ended. 'capacity > 300.0/s' is unknown: the capacity has no"
                                + " interval");
    }
}
