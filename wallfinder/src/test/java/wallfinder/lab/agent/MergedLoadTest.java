package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Answers;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Thinned;
import wallfinder.remote.Frames;

/// Parts of a load that went through messages, as from agents.
class MergedLoadTest {
    static LoadOutcome.Requests outcome(Histogram response, Map<String, Long> errors) {
        long failed = errors.values().stream().mapToLong(Long::longValue).sum();
        long good = response.getTotalCount();
        return new LoadOutcome.Requests(
                new LoadOutcome.Engine(
                        "io_uring",
                        0.5,
                        new LoadOutcome.Generator(
                                1,
                                0.9,
                                0.01,
                                new TreeMap<>(Map.of("ports", 1L)),
                                new LoadOutcome.Stalls(1, 2_000_000, 2_000_000, 1, 1_000_000))),
                4,
                true,
                new LoadOutcome.Loop.Open(new Arrival.Rate(100), 3, response.copy(), response),
                2,
                new ExchangeCounts(good + failed + 1, good, 1, 1_000, 4),
                new LoadOutcome.Failures(
                        new TreeMap<>(errors),
                        new TreeMap<>(Map.of("connect", new TreeMap<>(errors))),
                        5),
                new LoadOutcome.Times(
                        response, response, response, new Thinned(2, new long[] {1, 2, 3})),
                Histograms.empty(),
                new Answers(
                        new TreeMap<>(Map.of("200", good)),
                        new TreeMap<>(),
                        Histograms.empty(),
                        0,
                        0),
                1,
                2,
                null,
                List.of());
    }

    /// As the other side reads it.
    static LoadOutcome.Driven carried(LoadMessage.Counted load) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LoadMessage.Part part = new LoadMessage.Part(true, 7, load);
        new Message.OfLoad(part).send(out);
        Message read = Message.read(Frames.read(new ByteArrayInputStream(out.toByteArray())));
        assertThat(read).isInstanceOf(Message.OfLoad.class);
        return ((LoadMessage.Fields)
                        ((LoadMessage.Part) ((Message.OfLoad) read).content()).counted())
                .outcome(new Arrival.Rate(100));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void percentiles_are_those_of_one_histogram_of_all_answers(int generators) throws Exception {
        SplittableRandom random = new SplittableRandom(generators);
        Histogram all = Histograms.empty();
        List<LoadOutcome.Requests> parts = new ArrayList<>();
        for (int i = 0; i < generators; i++) {
            Histogram own = Histograms.empty();
            for (int n = 0; n < 10_000; n++) {
                // Each host has times of its own, so that a mean of percentiles would be wrong.
                long nanos = (long) (1e5 * (i + 1) * Math.exp(3 * random.nextGaussian()));
                long bounded = Math.min(nanos, all.getHighestTrackableValue());
                own.recordValue(bounded);
                all.recordValue(bounded);
            }
            LoadOutcome.Requests part = outcome(own, Map.of("connect-refused", 2L));
            parts.add((LoadOutcome.Requests) carried(new LoadMessage.Outcome(part)));
        }
        LoadOutcome.Requests merged =
                MergedLoad.of(parts, List.of(), 4 * generators, new Arrival.Rate(100));
        assertThat(merged.responseNanos()).isEqualTo(all);
        for (double percentile : new double[] {0, 50, 90, 99, 99.9, 99.99, 100}) {
            assertThat(merged.responseNanos().getValueAtPercentile(percentile))
                    .isEqualTo(all.getValueAtPercentile(percentile));
        }
        assertThat(merged.good()).isEqualTo(10_000L * generators);
        assertThat(merged.answers().statuses()).containsEntry("200", 10_000L * generators);
        assertThat(merged.errors()).containsExactly(Map.entry("connect-refused", 2L * generators));
        assertThat(merged.sent())
                .isEqualTo(merged.answered() + merged.networkErrors() + merged.inFlight());
        assertThat(merged.generator().threads()).isEqualTo(generators);
        assertThat(merged.times().thinned().values()).hasSize(3 * generators);
    }
}
