package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// A load that opens 64 connections and holds them. They have 40,000 answers.
class HeldConnectionsTest {
    private static Diagnosis diagnosed(Recorded recorded) {
        Observation requests = recorded.observation();
        LoadOutcome.Requests load = (LoadOutcome.Requests) requests.load();
        LoadOutcome.Hold hold =
                new LoadOutcome.Hold(
                        "echoed",
                        32,
                        1,
                        new TreeMap<>(),
                        0,
                        1,
                        load.answered(),
                        9,
                        0.1,
                        new Histogram(3),
                        64,
                        100_000_000,
                        List.of(),
                        List.of());
        LoadOutcome held =
                new LoadOutcome.Held(
                        load.engine(),
                        load.connections(),
                        load.loop(),
                        load.seconds(),
                        load.exchanges(),
                        load.failures(),
                        load.times(),
                        hold);
        return Diagnosis.of(new Observation(held, requests.timeline(), requests.facts()));
    }

    @Test
    void connections_that_stay_open_have_no_wall() {
        assertThat(diagnosed(Recorded.healthy()).verdict()).isEqualTo(Verdict.NONE);
    }

    /// Among requests, one failure of 40,001 would be no harm.
    @Test
    void one_closed_connection_counts_among_the_connections_and_not_among_their_answers() {
        Recorded closed = Recorded.healthy().error("closed", 1);
        assertThat(closed.diagnosed().verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosed(closed).verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosed(closed).seen())
                .isEqualTo("closes connections that are held (1 times)");
    }
}
