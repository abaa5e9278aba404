package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Timeline;

class SamplesTest {
    private static List<Counter> counters(int count) {
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            counters.add(new KernelCounter("test." + i).at(End.CLIENT, "test"));
        }
        return counters;
    }

    @Test
    void long_measurements_are_thinned_and_keep_the_first_and_last_sample() {
        Samples samples = new Samples(8, 1);
        for (int i = 0; i < 100; i++) {
            samples.add(i, new double[] {i});
        }
        samples.addLast(100, new double[] {100});

        Timeline timeline = samples.timeline(counters(1));
        assertThat(timeline.nanos()).containsExactly(0, 16, 32, 48, 64, 80, 96, 100);
        assertThat(timeline.series().getFirst().values())
                .containsExactly(0, 16, 32, 48, 64, 80, 96, 100);
    }

    @Test
    void halved_samples_are_every_second_one_and_more_are_added() {
        Samples samples = new Samples(100, 1);
        for (int i = 0; i < 6; i++) {
            samples.add(i, new double[] {i});
        }
        samples.halve();
        samples.add(7, new double[] {7});
        samples.add(9, new double[] {9});

        Timeline timeline = samples.timeline(counters(1));
        assertThat(timeline.nanos()).containsExactly(0, 2, 4, 7, 9);
        assertThat(timeline.series().getFirst().values()).containsExactly(0, 2, 4, 7, 9);
    }

    /// A walk over many sockets happens at one sample in ten.
    @Test
    void a_value_that_is_read_seldom_survives_its_sample() {
        Samples samples = new Samples(100, 1);
        for (int i = 0; i < 40; i++) {
            samples.add(i, new double[] {i % 10 == 3 ? i : Double.NaN});
        }
        samples.halve();
        samples.halve();

        double[] values = samples.timeline(counters(1)).series().getFirst().values();
        double no = Double.NaN;
        assertThat(values).containsExactly(no, 3, no, no, 13, no, 23, no, no, 33);
    }

    @Test
    void a_value_that_was_dropped_with_its_sample_is_kept_with_the_next_one() {
        Samples samples = new Samples(100, 1);
        samples.add(0, new double[] {5});
        samples.add(1, new double[] {6});
        samples.halve();
        samples.add(2, new double[] {6});
        assertThat(samples.timeline(counters(1)).series().getFirst().values())
                .containsExactly(5, 6);
    }

    /// Counters that change never, rarely, often or always, and some that are unreadable at times.
    @ParameterizedTest
    @ValueSource(ints = {2, 7, 8, 64, 1000})
    void a_kept_sample_has_the_values_that_were_read(int samplesMax) {
        Random random = new Random(samplesMax);
        double[] chances = {0, 0.01, 0.2, 0.7, 1, 0.5};
        int length = 500;
        double[][] read = new double[length + 1][chances.length];
        Samples samples = new Samples(samplesMax, chances.length);
        for (int i = 0; i <= length; i++) {
            for (int c = 0; c < chances.length; c++) {
                double before = i == 0 ? c : read[i - 1][c];
                double other = c == 5 && random.nextBoolean() ? Double.NaN : random.nextInt(3);
                read[i][c] = random.nextDouble() < chances[c] ? other : before;
            }
            if (i < length) {
                samples.add(i, read[i]);
            } else {
                samples.addLast(i, read[i]);
            }
        }

        Timeline timeline = samples.timeline(counters(chances.length));
        assertThat(timeline.nanos()).startsWith(0).endsWith(length);
        assertThat(timeline.nanos().length).isBetween(2, Math.min(samplesMax, length) + 1);
        for (int i = 0; i < timeline.nanos().length; i++) {
            for (int c = 0; c < chances.length; c++) {
                double is = read[(int) timeline.nanos()[i]][c];
                if (!Double.isNaN(is)) {
                    assertThat(timeline.series().get(c).values()[i])
                            .as("counter %s at %s", c, timeline.nanos()[i])
                            .isEqualTo(is);
                }
            }
        }
    }
}
