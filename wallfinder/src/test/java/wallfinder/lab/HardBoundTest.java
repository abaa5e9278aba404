package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// How far a control has gone is read from what was seen.
class HardBoundTest {
    private static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

    /// Two seconds in which `held` grew from 10 to 22 and `there` from 20 to 40, while `level` went
    /// from 3 over 8 to 4.
    private static Observation seen() throws Exception {
        Observation recorded =
                RecordedObservation.read(
                                ROOT.resolve(RecordedObservation.FOLDER)
                                        .resolve("cpu-go" + RecordedObservation.END))
                        .observation();
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
    void a_level_counts_by_its_largest_value_and_as_a_limit_by_its_last() throws Exception {
        assertShare("level of 16", 0.5);
        assertShare("2 of level", 0.5);
    }

    @Test
    void what_grows_counts_by_how_fast_it_did_on_both_sides() throws Exception {
        assertShare("held of 12", 0.5);
        assertShare("held of there", 0.6);
        assertShare("first held of 20", 0.5);
    }

    @Test
    void a_limit_may_be_a_part_of_what_was_seen() throws Exception {
        assertShare("held of 0.8 there", 0.75);
    }

    @Test
    void what_was_not_seen_is_no_share() throws Exception {
        assertThat(HardBound.of("level of nothing").share(seen())).isNaN();
    }
}
