package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.lab.SimulatedTrials;

class ForecastTest {
    private final List<String> said = new ArrayList<>();

    private final Forecast forecast = new Forecast(said::add, trial -> {});

    private void climb(int levels, IntToDoubleFunction rate) {
        for (int level = 0, connections = 1; level < levels; level++, connections *= 2) {
            level(connections, rate);
        }
    }

    private void level(int connections, IntToDoubleFunction rate) {
        forecast.accept(
                SimulatedTrials.trial(
                        "level",
                        SimulatedTrials.load(connections, rate.applyAsDouble(connections), 1, 0),
                        SimulatedTrials.none(),
                        null));
    }

    private static double contended(int n) {
        return 1_000 * n / (1 + 0.1 * (n - 1));
    }

    @Test
    void the_sixth_level_is_predicted_from_the_first_five_and_comes_true() {
        climb(5, ForecastTest::contended);
        assertThat(said).hasSize(1);
        assertThat(said.getFirst())
                .startsWith("the Universal Scalability Law predicts 7,80")
                .contains("/s with 32 connections (")
                .contains("contention 0.10");
        level(32, ForecastTest::contended);
        assertThat(said.get(1)).isEqualTo("  measured 7,805/s: as predicted");
    }

    @Test
    void a_service_that_meets_a_limit_gives_less_than_predicted() {
        climb(5, n -> 1_000 * n);
        level(32, n -> 18_000);
        assertThat(said.get(1)).isEqualTo("  measured 18,000/s: less than predicted");
    }

    @Test
    void rates_that_do_not_follow_the_law_predict_nothing() {
        climb(6, n -> n < 4 ? 1_000 * n : n < 16 ? 1_500 : 6_000);
        assertThat(said).isEmpty();
    }

    @Test
    void a_level_at_a_wall_says_nothing_about_the_next_one() {
        climb(5, ForecastTest::contended);
        forecast.accept(
                SimulatedTrials.trial(
                        "wall",
                        SimulatedTrials.load(32, 5_000, 1, 0),
                        SimulatedTrials.named(Harm.THROUGHPUT),
                        null));
        assertThat(said).hasSize(2);
    }
}
