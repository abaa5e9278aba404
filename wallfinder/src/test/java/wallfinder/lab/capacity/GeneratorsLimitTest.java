package wallfinder.lab.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.lab.capacity.CapacitySearchTest.MM4;
import static wallfinder.lab.capacity.CapacitySearchTest.NO_WALL;
import static wallfinder.lab.capacity.CapacitySearchTest.P99;
import static wallfinder.lab.capacity.CapacitySearchTest.firstOfPairs;
import static wallfinder.lab.capacity.CapacitySearchTest.place;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import wallfinder.lab.session.Interruption;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// A search in which the generator is the limit of some trials.
class GeneratorsLimitTest {
    private static CapacitySearch search(CapacityTrials place) {
        return CapacitySearchTest.search(place, P99, new Interruption());
    }

    private static SimulatedPlace late(DoubleUnaryOperator delaySeconds) {
        return new SimulatedPlace(MM4, 5, delaySeconds, NO_WALL, true);
    }

    /// 50, 100, 200 and 400/s: the fourth trial misses, and the fifth repeats it.
    @Test
    void the_generator_is_the_limit_only_if_it_was_in_both_trials() {
        SimulatedPlace once = place(MM4, 5);
        once.invalid.add(5);
        CapacitySearch search = search(once);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
        assertThat(search.found().orElseThrow().ratePerSecond())
                .isCloseTo(MM4.capacity(0.08, 0.01), Percentage.withPercentage(12));
        SimulatedPlace twice = place(MM4, 5);
        twice.invalid.addAll(List.of(4, 5));
        assertThat(search(twice).run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
    }

    /// The generator cannot send 400/s. The rate of 200/s held once, and misses when the search
    /// measures it again.
    @Test
    void a_rate_that_held_once_by_chance_is_no_lower_bound() {
        SimulatedPlace place = late(trial -> trial == 6 ? 0.5 : 0);
        place.invalid.addAll(List.of(4, 5));
        CapacitySearch search = search(place);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
        assertThat(search.found().orElseThrow().ratePerSecond()).isEqualTo(100);
        assertThat(search.measured())
                .extracting(RunRecord.Trial::name)
                .endsWith("at-least-1-200", "at-least-2-100");
    }

    @Test
    void a_service_that_holds_nothing_twice_has_no_lower_bound() {
        SimulatedPlace place = late(trial -> trial > 5 ? 0.5 : 0);
        place.invalid.addAll(List.of(4, 5));
        CapacitySearch search = search(place);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
        assertThat(search.found()).isEmpty();
    }

    /// The second trial misses, as of a service that is cold; its repetition and the third hold.
    @Test
    void a_miss_that_a_higher_rate_refutes_does_not_hide_the_limit_of_the_generator() {
        SimulatedPlace place = late(trial -> trial == 2 ? 0.5 : 0);
        place.invalid.addAll(List.of(5, 6, 7, 8));
        assertThat(search(place).run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
    }

    /// The trials in which the generator is the limit are late through its fault.
    private static SimulatedPlace lateInvalid(long from, long to) {
        SimulatedPlace place = late(trial -> from <= trial && trial <= to ? 0.5 : 0);
        LongStream.rangeClosed(from, to).forEach(trial -> place.invalid.add((int) trial));
        return place;
    }

    private static List<RunRecord.Trial> ofPairs(CapacitySearch search) {
        return search.found().orElseThrow().pairs().stream()
                .flatMap(pair -> Stream.of(pair.below(), pair.above()))
                .map(side -> search.measured().get(side.trial()))
                .toList();
    }

    @Test
    void a_trial_that_missed_because_of_the_generator_is_repeated_and_does_not_count() {
        long first = firstOfPairs();
        for (long invalid = first - 1; invalid < first + 6; invalid++) {
            CapacitySearch search = search(lateInvalid(invalid, invalid));
            assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
            assertThat(search.measured().get((int) invalid).name())
                    .isEqualTo(search.measured().get((int) invalid - 1).name() + "-repeated");
            assertThat(ofPairs(search))
                    .hasSizeGreaterThanOrEqualTo(12)
                    .noneMatch(RunRecord.Trial::invalid);
            assertThat(search.found().orElseThrow().ratePerSecond())
                    .isCloseTo(MM4.capacity(0.08, 0.01), Percentage.withPercentage(12));
        }
    }

    @Test
    void a_pair_whose_generator_was_the_limit_twice_does_not_count() {
        long first = firstOfPairs();
        CapacitySearch search = search(lateInvalid(first + 4, first + 5));
        assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
        assertThat(ofPairs(search)).noneMatch(RunRecord.Trial::invalid);
        assertThat(search.measured())
                .extracting(RunRecord.Trial::name)
                .contains("pair-3-above-repeated", "pair-7-above")
                // The third pair that counts begins above, as the third one did.
                .containsSubsequence("pair-4-above", "pair-4-below");
    }

    /// The generator cannot send as much as in the first three pairs, each of which has four
    /// trials.
    @Test
    void a_border_that_the_generator_cannot_measure_is_a_lower_bound() {
        long first = firstOfPairs();
        CapacitySearch search = search(lateInvalid(first, first + 11));
        assertThat(search.run()).isEqualTo(CapacitySearch.End.GENERATORS_LIMIT);
        CapacityRecord found = search.found().orElseThrow();
        assertThat(found.pairs()).isEmpty();
        assertThat(found.high()).isInfinite();
        assertThat(found.low())
                .isEqualTo(found.ratePerSecond())
                .isCloseTo(MM4.capacity(0.08, 0.01), Percentage.withPercentage(12));
    }

    /// Seen on a shared host: 15 trials had missed the objective while the generator had its CPUs.
    /// The search began anew, the generator was the limit in its first two trials, and the result
    /// was "the service holds the objective at a higher rate".
    @Test
    void a_service_that_missed_while_the_generator_was_not_the_limit_has_a_capacity() {
        long first = firstOfPairs();
        long anew = first + 6;
        SimulatedPlace busy = late(n -> n >= first && n < anew + 2 ? 0.5 : 0);
        busy.invalid.addAll(List.of((int) anew, (int) anew + 1));
        CapacitySearch search = search(busy);
        assertThat(search.run()).isEqualTo(CapacitySearch.End.FOUND);
        assertThat(search.measured().get((int) anew - 1).name()).startsWith("anew-");
        assertThat(search.found().orElseThrow().ratePerSecond())
                .isCloseTo(MM4.capacity(0.08, 0.01), Percentage.withPercentage(12));
    }
}
