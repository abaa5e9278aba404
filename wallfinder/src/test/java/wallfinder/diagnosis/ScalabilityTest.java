package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class ScalabilityTest {
    private static final List<Double> LOADS = List.of(1.0, 2.0, 4.0, 8.0, 16.0, 32.0);

    private static DoubleUnaryOperator law(double alone, double contention, double coherency) {
        return n -> alone * n / (1 + contention * (n - 1) + coherency * n * (n - 1));
    }

    private static List<Scalability.Point> points(DoubleUnaryOperator rate) {
        return LOADS.stream()
                .map(load -> new Scalability.Point(load, rate.applyAsDouble(load)))
                .toList();
    }

    @Test
    void the_parameters_of_exact_rates_are_found() {
        Scalability found = Scalability.of(points(law(100, 0.05, 0.001))).orElseThrow();
        assertThat(found.alonePerSecond()).isCloseTo(100, within(0.1));
        assertThat(found.contention().value()).isCloseTo(0.05, within(0.001));
        assertThat(found.coherency().value()).isCloseTo(0.001, within(1e-5));
        assertThat(found.typicalError()).isLessThan(1e-6);
        assertThat(found.highestPerSecond())
                .isCloseTo(
                        law(100, 0.05, 0.001).applyAsDouble(Math.sqrt(0.95 / 0.001)), within(1.0));
    }

    @Test
    void a_service_that_scales_without_end_has_no_highest_rate() {
        Scalability found = Scalability.of(points(n -> 100 * n)).orElseThrow();
        assertThat(found.highestPerSecond()).isGreaterThan(100 * 1e4);
        assertThat(found.contention().low()).isZero();
    }

    /// The interval of one more measurement must have it in 95 of 100 cases.
    @Test
    void the_next_rate_is_within_its_interval() {
        SplittableRandom random = new SplittableRandom(5);
        DoubleUnaryOperator law = law(100, 0.03, 0.0005);
        int within = 0;
        int cases = 400;
        for (int i = 0; i < cases; i++) {
            DoubleUnaryOperator noisy =
                    n -> law.applyAsDouble(n) * (1 + 0.02 * random.nextGaussian());
            Scalability found = Scalability.of(points(noisy)).orElseThrow();
            Scalability.Bounded next = found.at(64);
            double measured = noisy.applyAsDouble(64);
            within += next.low() <= measured && measured <= next.high() ? 1 : 0;
        }
        assertThat(within).isGreaterThan(cases * 90 / 100);
    }

    @Test
    void a_rate_that_does_not_follow_the_law_is_refused() {
        assertThat(Scalability.of(points(n -> n < 4 ? 100 * n : n < 16 ? 150 : 600))).isEmpty();
    }

    @Test
    void four_loads_are_too_few() {
        List<Scalability.Point> points = points(law(100, 0.05, 0.001));
        List<Scalability.Point> repeated = new ArrayList<>(points.subList(0, 4));
        repeated.addAll(points.subList(0, 4));
        assertThat(Scalability.of(repeated)).isEmpty();
        assertThat(Scalability.of(points.subList(0, 5))).isPresent();
    }

    @Test
    void a_load_without_answers_is_no_point() {
        assertThat(Scalability.of(points(n -> n < 2 ? 0 : 100 * n))).isEmpty();
    }
}
