package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Expectation;

/// The response times since the last look, from the counts of two engine threads.
class RecentResponsesTest {
    private static final long MILLI = 1_000_000;

    private final Tally one = new Tally(null, Expectation.DEFAULT);
    private final Tally other = new Tally(null, Expectation.DEFAULT);
    private final RecentResponses recent =
            new RecentResponses(new LoadProgress(List.of(thread(one), thread(other))));

    static EngineThread thread(Tally tally) {
        ThreadState state = new ThreadState(tally);
        return new EngineThread() {
            @Override
            public ThreadState state() {
                return state;
            }

            @Override
            public void run() {}
        };
    }

    static void answers(Tally tally, int count, long millis) {
        for (int i = 0; i < count; i++) {
            tally.answered(millis * MILLI, millis * MILLI);
        }
    }

    @Test
    void each_look_has_only_the_answers_since_the_look_before() {
        answers(one, 900, 2);
        answers(other, 100, 50);
        Histogram first = recent.look();
        assertThat(first.getTotalCount()).isEqualTo(1000);
        assertThat(first.getValueAtPercentile(50) / 1e6).isBetween(1.99, 2.01);
        answers(one, 10, 7);
        Histogram second = recent.look();
        assertThat(second.getTotalCount()).isEqualTo(10);
        assertThat(second.getValueAtPercentile(99) / 1e6).isBetween(6.99, 7.01);
        assertThat(recent.look().getTotalCount()).isZero();
    }

    @Test
    void after_a_mark_the_answers_since_the_mark_count() {
        answers(one, 900, 2);
        recent.look();
        one.mark(0);
        answers(one, 5, 2);
        answers(one, 3, 9);
        assertThat(recent.look().getTotalCount()).isEqualTo(8);
    }
}
