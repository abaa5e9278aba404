package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Objective;

class CapacityBoundTest {
    private static CapacityBound bound(String asked, CapacityRecord found) {
        return CapacityBound.of(Objective.parse("p99 < 50ms, " + asked), found).getFirst();
    }

    /// The capacity is 400/s.
    @ParameterizedTest
    @CsvSource({
        "capacity > 300, 380, 420, MET",
        "capacity > 380, 380, 420, WITHIN",
        "capacity >= 380, 380, 420, MET",
        "capacity > 390, 380, 420, WITHIN",
        "capacity > 410, 380, 420, WITHIN",
        "capacity > 421, 380, 420, MISSED",
        "capacity < 421, 380, 420, MET",
        "capacity < 410, 380, 420, WITHIN",
        "capacity < 300, 380, 420, MISSED",
        "capacity > 300, 0, Infinity, UNKNOWN",
        "capacity > 500, 0, Infinity, UNKNOWN",
        "capacity < 500, 0, Infinity, UNKNOWN",
    })
    void a_bound_is_missed_only_if_the_whole_interval_misses_it(
            String asked, double low, double high, CapacityBound.State state) {
        CapacityBound bound = bound(asked, SampleCapacity.run(400, low, high).capacity());
        assertThat(bound.state()).isEqualTo(state);
        assertThat(bound.doubt() == null)
                .isEqualTo(state == CapacityBound.State.MET || state == CapacityBound.State.MISSED);
    }

    @ParameterizedTest
    @CsvSource({
        "capacity > 300, MET",
        "capacity > 500, UNKNOWN",
        "capacity < 500, UNKNOWN",
        "capacity < 300, MISSED",
    })
    void a_lower_bound_decides_what_is_below_it(String asked, CapacityBound.State state) {
        assertThat(bound(asked, SampleCapacity.atLeast(400)).state()).isEqualTo(state);
    }
}
