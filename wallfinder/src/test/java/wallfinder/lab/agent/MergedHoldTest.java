package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;

/// Parts of held connections that went through messages, as from agents.
class MergedHoldTest {
    /// Ten connections, of which some were closed.
    static LoadOutcome.Held held(Histogram response, long closed) {
        return held(response, closed, 3);
    }

    private static LoadOutcome.Held held(Histogram response, long closed, double seconds) {
        LoadOutcome.Requests messages = MergedLoadTest.outcome(response, Map.of("closed", closed));
        return new LoadOutcome.Held(
                messages.engine(),
                10,
                messages.loop(),
                messages.seconds(),
                messages.exchanges(),
                messages.failures(),
                messages.times(),
                new LoadOutcome.Hold(
                        "echoed",
                        32,
                        1,
                        new TreeMap<>(Map.of("alive", 10 - closed, "closed", closed)),
                        1,
                        0.5 * (closed + 1),
                        100,
                        seconds,
                        0.25,
                        response,
                        64,
                        1_000_000,
                        List.of("connection 7 was closed"),
                        List.of(new LoadOutcome.Sockets(End.CLIENT, 10 - closed))));
    }

    private static LoadOutcome.Held carried(Histogram response, long closed) throws Exception {
        return (LoadOutcome.Held)
                MergedLoadTest.carried(new LoadMessage.HeldOutcome(held(response, closed)));
    }

    @Test
    void the_connections_of_all_agents_add_up() throws Exception {
        Histogram response = Histograms.empty();
        response.recordValueWithCount(2_000_000, 50);
        LoadOutcome.Held merged =
                MergedHold.of(
                        List.of(carried(response, 0), carried(response, 3)),
                        List.of(),
                        20,
                        new Arrival.Rate(100),
                        17);
        assertThat(merged.connections()).isEqualTo(20);
        assertThat(merged.answered()).isEqualTo(100);
        assertThat(merged.errors()).isEqualTo(Map.of("closed", 3L));
        LoadOutcome.Hold hold = merged.hold();
        assertThat(hold.fates()).isEqualTo(Map.of("alive", 17L, "closed", 3L));
        assertThat(hold.openingSeconds()).as("until the last has opened").isEqualTo(2);
        assertThat(hold.heldMessages()).isEqualTo(200);
        assertThat(hold.rssBytes()).isEqualTo(2_000_000);
        assertThat(hold.firstAnswerNanos().getTotalCount()).isEqualTo(100);
        assertThat(hold.faults()).hasSize(2);
        assertThat(hold.sockets()).containsExactly(new LoadOutcome.Sockets(End.CLIENT, 17));
    }

    /// The first one's connections opened two seconds later.
    @Test
    void the_rates_of_agents_that_settle_at_different_times_add_up() {
        Histogram response = Histograms.empty();
        LoadOutcome.Hold merged =
                MergedHold.of(
                                List.of(held(response, 0, 2), held(response, 0, 4)),
                                List.of(),
                                20,
                                new Arrival.Rate(100),
                                20)
                        .hold();
        assertThat(merged.heldMessages()).isEqualTo(200);
        assertThat(merged.heldMessages() / merged.heldSeconds())
                .isCloseTo(100 / 2.0 + 100 / 4.0, within(1e-9));
    }

    @Test
    void what_one_agent_does_not_know_is_unknown() throws Exception {
        Histogram none = Histograms.empty();
        LoadOutcome.Held whole = carried(none, 0);
        LoadOutcome.Hold hold = whole.hold();
        LoadOutcome.Hold unopened =
                new LoadOutcome.Hold(
                        hold.exchange(),
                        hold.messageBytes(),
                        hold.intervalSeconds(),
                        hold.fates(),
                        0,
                        Double.NaN,
                        0,
                        0,
                        0,
                        none,
                        64,
                        0,
                        List.of(),
                        List.of());
        LoadOutcome.Held ended =
                new LoadOutcome.Held(
                        whole.engine(),
                        10,
                        whole.loop(),
                        whole.seconds(),
                        whole.exchanges(),
                        whole.failures(),
                        whole.times(),
                        unopened);
        LoadOutcome.Held read =
                (LoadOutcome.Held) MergedLoadTest.carried(new LoadMessage.HeldOutcome(ended));
        assertThat(read.hold().openingSeconds()).isNaN();
        LoadOutcome.Hold merged =
                MergedHold.of(List.of(whole, read), List.of(), 20, new Arrival.Rate(100), -1)
                        .hold();
        assertThat(merged.openingSeconds()).isNaN();
        assertThat(merged.sockets()).isEmpty();
    }
}
