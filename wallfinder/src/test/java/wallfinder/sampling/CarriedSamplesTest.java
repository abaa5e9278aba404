package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Reader;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

class CarriedSamplesTest {
    private static final int READINGS = 12;

    /// Counts its readings in one counter; the other one is never found.
    private static final class Count implements Reader {
        private final Counter found = new KernelCounter("found").at(End.SERVER, "test");
        private final Counter missing = new KernelCounter("missing").at(End.SERVER, "test");
        private volatile int readings;

        @Override
        public List<Counter> counters() {
            return List.of(found, missing);
        }

        @Override
        public List<Counter> found() {
            return List.of(found);
        }

        @Override
        public void read(double[] values, int from) {
            readings = readings + 1;
            values[from] = readings;
            values[from + 1] = Double.NaN;
        }

        @Override
        public void close() {}
    }

    private static void assertSame(Timeline carried, Timeline own) {
        assertThat(carried.nanos()).containsExactly(own.nanos());
        assertThat(counters(carried)).isEqualTo(counters(own));
        for (int i = 0; i < own.series().size(); i++) {
            assertThat(carried.series().get(i).values())
                    .containsExactly(own.series().get(i).values());
        }
    }

    private static List<Counter> counters(Timeline timeline) {
        return timeline.series().stream().map(Series::counter).toList();
    }

    @Test
    void the_samples_of_another_process_make_the_same_timeline() {
        Count reader = new Count();
        CarriedSamples carried = new CarriedSamples();
        Sampler sampler = Sampler.start(List.of(reader), Duration.ofMillis(2), carried);
        while (reader.readings < READINGS) {
            Thread.onSpinWait();
        }
        Timeline own = sampler.stop();
        assertThat(own.series()).hasSize(1);
        assertSame(carried.timeline(), own);
    }

    @Test
    void samples_without_an_end_make_the_timeline_so_far() {
        Count reader = new Count();
        CarriedSamples carried = new CarriedSamples();
        carried.begin(new ArrayList<>(reader.counters()), 5);
        carried.add(0, new double[] {1, Double.NaN});
        carried.add(10, new double[] {2, Double.NaN});
        carried.halve();
        carried.add(20, new double[] {3, Double.NaN});
        Timeline soFar = carried.timeline();
        assertThat(soFar.nanos()).containsExactly(0, 20);
        assertThat(counters(soFar)).containsExactly(reader.found);
        assertThat(soFar.series().getFirst().values()).containsExactly(1, 3);
    }
}
