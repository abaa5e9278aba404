package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Expectation;
import wallfinder.observation.Counter;
import wallfinder.observation.Reader;
import wallfinder.observation.ResponseFigure;

/// The response times by bucket, from the counts of two engine threads.
class ResponseTimesTest {
    private final Tally one = new Tally(null, Expectation.DEFAULT);
    private final Tally other = new Tally(null, Expectation.DEFAULT);
    private final Reader reader =
            new LoadProgress(
                            List.of(
                                    RecentResponsesTest.thread(one),
                                    RecentResponsesTest.thread(other)))
                    .responseTimes();

    private double[] read() {
        double[] values = new double[reader.counters().size() + 1];
        reader.read(values, 1);
        return Arrays.copyOfRange(values, 1, values.length);
    }

    @Test
    void the_answers_of_all_threads_are_in_the_buckets_of_their_times() {
        assertThat(read()).containsOnly(0);
        assertThat(reader.found()).isEmpty();
        RecentResponsesTest.answers(one, 900, 2);
        RecentResponsesTest.answers(other, 100, 2);
        RecentResponsesTest.answers(other, 7, 50);
        double[] counts = read();
        assertThat(Arrays.stream(counts).filter(count -> count > 0)).containsExactly(1000.0, 7.0);
        assertThat(reader.found())
                .extracting(Counter::name)
                .containsExactly("load.responses[1778.3]", "load.responses[48696.8]");
    }

    @Test
    void every_time_is_in_one_bucket_and_the_shortest_and_the_longest_are_counted() {
        SplittableRandom random = new SplittableRandom(1);
        double[] before = read();
        for (int i = 0; i < 2_000; i++) {
            long nanos = (long) Math.pow(10, random.nextDouble(3, Math.log10(Tally.NANOS_MAX)));
            one.answered(nanos, nanos);
            double[] now = read();
            for (int bucket = 0; bucket < now.length; bucket++) {
                if (now[bucket] != before[bucket]) {
                    double from = ResponseFigure.nanos(ResponseFigure.FIRST + bucket);
                    double to = ResponseFigure.nanos(ResponseFigure.FIRST + bucket + 1);
                    assertThat((double) nanos).isLessThan(1.002 * to);
                    assertThat((double) nanos).isGreaterThan(bucket == 0 ? 0 : 0.998 * from);
                }
            }
            assertThat(Arrays.stream(now).sum()).isCloseTo(i + 1, within(0.0));
            before = now;
        }
        one.answered(Tally.NANOS_MAX, Tally.NANOS_MAX);
        assertThat(Arrays.stream(read()).sum()).isEqualTo(2_001);
    }
}
