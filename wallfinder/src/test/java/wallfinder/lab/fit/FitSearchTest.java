package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.FitRecord;

/// The search on simulated services whose smallest limit, in megabytes, is known.
class FitSearchTest {
    private static final long MB = 1 << 20;
    private static final long STEP = 10;
    private static final double NO_HEAP = Double.NaN;

    private final List<Long> asked = new ArrayList<>();

    private static Series level(Key key, double value) {
        Counter counter = key.at(End.SERVER, "test");
        return new Series(counter, new double[] {value, value});
    }

    private static FitTrial trial(long limit, boolean ok, long peak, double heap) {
        return trial(limit, ok, peak, heap, heap);
    }

    /// @param committed the size of the heap at the peak
    static FitTrial trial(long limit, boolean ok, long peak, double heap, double committed) {
        List<Series> series =
                List.of(
                        level(CgroupFigure.MEMORY_ANONYMOUS.of("web"), (peak - 1) * MB),
                        level(CgroupFigure.MEMORY_KERNEL.of("web"), MB),
                        level(JvmFigure.HEAP_MAX.of("web"), heap * MB),
                        level(JvmFigure.HEAP_COMMITTED.of("web"), committed * MB));
        return new FitTrial(
                "trial",
                limit * MB,
                false,
                null,
                new FitLife("web", new Timeline(new long[] {0, 1}, series)),
                ok ? null : new FitRecord.KnockOut(FitRecord.KnockOut.Kind.MEMORY_LIMIT, List.of()),
                null,
                null);
    }

    /// @param peak the observed peak of memory at a limit
    private FitSearch searched(
            long first, LongPredicate ok, LongUnaryOperator peak, FitTrial... given) {
        FitSearch search =
                new FitSearch(
                        STEP * MB,
                        new FitPrediction(STEP * MB, NO_HEAP),
                        List.of(given),
                        bytes -> {
                            long limit = bytes / MB;
                            asked.add(limit);
                            return trial(limit, ok.test(limit), peak.applyAsLong(limit), NO_HEAP);
                        });
        search.run(first * MB);
        return search;
    }

    private void assertFound(FitSearch search, long limit) {
        assertThat(search.smallest()).as("%s", asked).isEqualTo(limit * MB);
        assertThat(search.verified()).as("%s", asked).isTrue();
        assertThat(search.at(limit * MB)).hasSizeGreaterThanOrEqualTo(3).allMatch(FitTrial::ok);
        assertThat(search.knockOuts((limit - STEP) * MB)).isGreaterThanOrEqualTo(3);
    }

    @Test
    void six_trials_prove_a_right_prediction() {
        assertFound(searched(120, limit -> limit >= 120, limit -> 118, generous(118)), 120);
        assertThat(asked).hasSize(6);
    }

    @Test
    void a_prediction_that_is_one_step_off_needs_few_more_trials() {
        assertFound(searched(120, limit -> limit >= 130, limit -> 118, generous(118)), 130);
        asked.clear();
        assertFound(searched(120, limit -> limit >= 110, limit -> 118, generous(118)), 110);
        assertThat(asked).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void every_limit_is_found_in_a_bounded_number_of_trials() {
        for (long limit = 10; limit <= 510; limit += STEP) {
            for (long first = 10; first <= 510; first += 50) {
                asked.clear();
                long least = limit;
                FitSearch search =
                        searched(first, given -> given >= least, given -> least - 1, generous(200));
                assertThat(search.smallest())
                        .as("%d from %d: %s", limit, first, asked)
                        .isEqualTo(limit * MB);
                assertThat(search.verified()).as("%d from %d: %s", limit, first, asked).isTrue();
                assertThat(asked).as("%d from %d", limit, first).hasSizeLessThanOrEqualTo(20);
            }
        }
    }

    @Test
    void a_limit_that_sometimes_fails_is_too_small() {
        int[] times = {0};
        FitSearch search =
                searched(
                        100,
                        limit -> limit >= 110 || (limit == 100 && times[0]++ != 1),
                        limit -> 98,
                        generous(98));
        assertThat(search.smallest()).as("%s", asked).isEqualTo(110 * MB);
        assertThat(search.knockOuts(100 * MB)).isEqualTo(1);
        assertThat(search.at(100 * MB)).hasSizeGreaterThan(3);
        assertThat(search.verified()).isFalse();
    }

    @Test
    void a_search_whose_first_limit_fails_ends_at_once() {
        FitSearch search = searched(100, limit -> false, limit -> 98);
        assertThat(search.smallest()).isZero();
        assertThat(asked).hasSize(1);
    }

    @Test
    void earlier_knock_outs_count() {
        FitTrial before = trial(110, false, 90, NO_HEAP);
        FitSearch search =
                searched(120, limit -> limit >= 120, limit -> 90, before, before, before);
        assertFound(search, 120);
        assertThat(asked).containsExactly(120L, 120L, 120L);
    }

    @Test
    void a_heap_that_follows_the_limit_is_predicted_from_its_live_objects() {
        FitPrediction prediction = new FitPrediction(STEP * MB, 30 * MB);
        FitTrial high = trial(400, true, 400, 300);
        FitTrial low = trial(300, true, 300, 200);
        // 100 MB outside the heap, and 1.5 times the 30 MB of live objects.
        assertThat(prediction.below(low, high)).isEqualTo(150 * MB);
        FitTrial fixed = trial(300, true, 181, 81);
        assertThat(prediction.below(fixed, trial(400, true, 181, 81))).isEqualTo(190 * MB);
    }

    private static FitTrial generous(long peak) {
        return trial(512, true, peak, NO_HEAP);
    }
}
