package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;

class SamplerTest {
    private static final Duration INTERVAL = Duration.ofMillis(10);

    private static final Key READS = new KernelCounter("test.reads");
    private static final Key LAST = new KernelCounter("test.last");

    /// A reader that counts its readings.
    private static final class Reads implements Reader, Paced {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicBoolean closed = new AtomicBoolean();
        private final AtomicBoolean last = new AtomicBoolean();
        private final int failsAt;

        /// @param failsAt the reading that finds no file; negated, the one that finds what no
        ///   program should write
        Reads(int failsAt) {
            this.failsAt = failsAt;
        }

        @Override
        public List<Counter> counters() {
            return List.of(READS.at(End.CLIENT, "test"), LAST.at(End.CLIENT, "test"));
        }

        @Override
        public void read(double[] values, int from) {
            int reads = count.incrementAndGet();
            values[from] = reads;
            values[from + 1] = last.get() ? 1 : 0;
            if (reads == failsAt) {
                throw new EnvironmentException("reading", "the file is gone", "mount it");
            }
            if (reads == -failsAt) {
                throw new IndexOutOfBoundsException("offset 2147483647");
            }
        }

        @Override
        public void readInFullNext() {
            last.set(true);
        }

        @Override
        public void close() {
            closed.set(true);
        }
    }

    @Test
    void what_a_reader_cannot_read_stops_only_that_reader() throws Exception {
        Reads broken = new Reads(-3);
        Reads good = new Reads(0);
        Sampler sampler = Sampler.start(List.of(broken, good), INTERVAL);
        while (good.count.get() < 8) {
            Thread.sleep(INTERVAL);
        }
        Timeline timeline = sampler.stop();
        assertThat(broken.count).hasValue(3);
        assertThat(timeline.nanos()).hasSizeGreaterThanOrEqualTo(8);
        assertThat(sampler.caveats())
                .singleElement()
                .satisfies(caveat ->
                        assertThat(caveat.advice())
                                .contains("Reads stopped at something that it could not read")
                                .contains("offset 2147483647"));
        assertThat(broken.closed).isTrue();
    }

    @Test
    void the_first_sample_exists_at_once_and_the_last_one_is_complete() {
        Reads reads = new Reads(0);
        Sampler sampler = Sampler.start(List.of(reads), Duration.ofDays(1));
        assertThat(sampler.latest(READS, End.CLIENT)).isEqualTo(1);
        assertThat(sampler.latest(READS, End.SERVER)).isNaN();
        Timeline timeline = sampler.stop();

        assertThat(timeline.nanos()).hasSize(2).isSorted().startsWith(0);
        assertThat(timeline.find(READS, End.CLIENT).orElseThrow().values()).containsExactly(1, 2);
        assertThat(timeline.find(LAST, End.CLIENT).orElseThrow().values()).containsExactly(0, 1);
        assertThat(reads.closed).isTrue();
        assertThat(sampler.caveats()).isEmpty();
    }

    @Test
    void no_sample_comes_too_soon_and_all_counters_have_one_axis() {
        Reads reads = new Reads(0);
        Sampler sampler =
                Sampler.start(
                        List.of(
                                new NetstatReader(Path.of("/proc/thread-self/net"), End.SERVER),
                                reads),
                        INTERVAL);
        Readings.waitFor("20 samples", () -> sampler.latest(READS, End.CLIENT) >= 20);
        Timeline timeline = sampler.stop();

        assertThat(timeline.series())
                .hasSizeGreaterThan(100)
                .allMatch(s -> s.values().length == timeline.nanos().length);
        long[] nanos = timeline.nanos();
        long[] pauses =
                IntStream.range(1, nanos.length - 1)
                        .mapToLong(i -> nanos[i] - nanos[i - 1])
                        .toArray();
        long interval = INTERVAL.toNanos();
        assertThat(Arrays.stream(pauses)).allMatch(pause -> pause >= interval / 2);
        assertThat(timeline.find(KernelCounter.IN_SEGMENTS, End.SERVER).orElseThrow().first())
                .isNotNegative();
        assertThat(sampler.cpuSeconds()).isPositive();
    }

    /// Equal pauses could keep step with batches of requests.
    @Test
    void the_pauses_are_spread_around_the_interval() {
        SplittableRandom random = new SplittableRandom(1);
        long[] pauses =
                LongStream.generate(() -> Sampler.pauseNanos(1_000, random)).limit(200).toArray();
        assertThat(Arrays.stream(pauses)).allMatch(pause -> pause >= 500 && pause < 1_500);
        assertThat(Arrays.stream(pauses)).anyMatch(pause -> pause < 600);
        assertThat(Arrays.stream(pauses)).anyMatch(pause -> pause > 1_400);
        assertThat(Arrays.stream(pauses).average().orElseThrow()).isBetween(950.0, 1_050.0);
    }

    @Test
    void a_reader_that_fails_later_leaves_a_gap_and_a_caveat() {
        Reads reads = new Reads(2);
        Sampler sampler = Sampler.start(List.of(reads), INTERVAL);
        Readings.waitFor("4 samples", () -> reads.count.get() >= 4);
        Timeline timeline = sampler.stop();

        assertThat(timeline.find(READS, End.CLIENT).orElseThrow().values())
                .startsWith(1, Double.NaN, 3);
        assertThat(sampler.caveats())
                .singleElement()
                .satisfies(c -> assertThat(c.advice()).contains("the file is gone", "mount it"));
    }

    @Test
    void a_reader_that_fails_at_the_start_fails_the_sampler() {
        Reads reads = new Reads(1);
        assertThatThrownBy(() -> Sampler.start(List.of(reads), INTERVAL))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("the file is gone");
        assertThat(reads.closed).isTrue();
    }

    @Test
    void an_interrupted_thread_can_still_stop_it_and_stays_interrupted() {
        Sampler sampler = Sampler.start(List.of(new Reads(0)), INTERVAL);
        Thread.currentThread().interrupt();
        Timeline timeline = sampler.stop();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(timeline.nanos().length).isGreaterThanOrEqualTo(2);
    }

    /// At 2 % they overdraw it by 10 ms a second, and 20 ms were saved.
    @Test
    void readers_that_take_more_than_one_percent_exceed_their_allowance() {
        CpuAllowance allowance = new CpuAllowance();
        assertThat(allowance.isExceeded(4_999_999_999L, 100e6)).isFalse();
        assertThat(allowance.isExceeded(6_000_000_000L, 119e6)).isFalse();
        assertThat(allowance.isExceeded(7_000_000_000L, 139e6)).isTrue();
        assertThat(allowance.isExceeded(8_000_000_000L, 159e6)).isFalse();
        assertThat(allowance.isExceeded(9_000_000_000L, 180e6)).isTrue();
        assertThat(allowance.isExceeded(90_000_000_000L, 180e6 + 800e6)).isTrue();
    }

    @Test
    void readers_that_take_less_than_one_percent_never_exceed_it() {
        CpuAllowance allowance = new CpuAllowance();
        for (int second = 0; second < 600; second++) {
            assertThat(allowance.isExceeded(second * 1_000_000_000L, second * 9.9e6)).isFalse();
        }
    }

    @Test
    void a_measurement_of_single_requests_reads_the_cpus_of_the_server_and_closes_other_readers() {
        Reads other = new Reads(0);
        BitSet cpus = new BitSet();
        cpus.set(0);
        List<Reader> readers =
                List.of(other, new CpusReader(End.SERVER, cpus), new CpusReader(End.CLIENT, cpus));
        Timeline timeline = Sampler.startShort(readers).stop();
        assertThat(timeline.last(EndFigure.CPUS_COUNT, End.SERVER)).isEqualTo(1);
        assertThat(timeline.find(EndFigure.CPUS_COUNT, End.CLIENT)).isEmpty();
        assertThat(other.closed).isTrue();
        assertThat(other.count).hasValue(0);
    }

    @Test
    void a_short_measurement_gets_all_its_samples() {
        CpuAllowance allowance = new CpuAllowance();
        assertThat(allowance.isExceeded(100_000_000L, 90e6)).isFalse();
        assertThat(allowance.isExceeded(4_900_000_000L, 4e9)).isFalse();
        assertThat(allowance.isExceeded(5_900_000_000L, 4e9 + 9e6)).isFalse();
    }
}
