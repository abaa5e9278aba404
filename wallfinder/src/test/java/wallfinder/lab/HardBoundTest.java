package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// A control's share of a limit is computed from the observation.
class HardBoundTest {

    /// In two seconds `held` grew from 10 to 22, `there` from 20 to 40, and `level` was 3, 8 and 4.
    private static Observation seen() throws Exception {
        Observation recorded = RecordedObservation.named("cpu-go").observation();
        List<Series> series =
                List.of(
                        series(new KernelCounter("held"), 10, 15, 22),
                        series(new KernelCounter("there"), 20, 30, 40),
                        series(new Key.Derived("level"), 3, 8, 4));
        return new Observation(
                recorded.load(),
                new Timeline(new long[] {0, 1_000_000_000, 2_000_000_000}, series),
                recorded.facts());
    }

    private static Series series(Key key, double... values) {
        return new Series(key.at(End.SERVER, "a test"), values);
    }

    private static void assertShare(String hard, double share) throws Exception {
        assertThat(HardBound.of(hard).share(seen())).as(hard).isCloseTo(share, within(1e-9));
    }

    @Test
    void a_gauge_counts_with_its_largest_value_and_as_a_limit_with_its_last() throws Exception {
        assertShare("level of 16", 0.5);
        assertShare("2 of level", 0.5);
    }

    @Test
    void a_growing_counter_counts_with_its_rate_on_both_sides() throws Exception {
        assertShare("held of 12", 0.5);
        assertShare("held of there", 0.6);
        assertShare("first held of 20", 0.5);
    }

    @Test
    void a_limit_may_be_a_fraction_of_a_counter() throws Exception {
        assertShare("held of 0.8 there", 0.75);
    }

    @Test
    void an_unknown_counter_gives_no_share() throws Exception {
        assertThat(HardBound.of("level of nothing").share(seen())).isNaN();
    }
}
