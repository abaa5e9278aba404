package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WarmthTest {
    private static final double SECONDS = 0.5;

    private final Warmth warmth = new Warmth();

    /// Adds a window of a service that uses all of one CPU.
    private boolean saturated(long perSecond, double compilerShare) {
        return warmth.add(
                new Warmth.Window((long) (perSecond * SECONDS), SECONDS, SECONDS * compilerShare));
    }

    @Test
    void a_service_whose_answers_cost_the_same_is_warm_after_six_windows() {
        for (int window = 1; window <= 5; window++) {
            assertThat(saturated(1_000, 0)).isFalse();
        }
        assertThat(saturated(1_000, 0)).isTrue();
        assertThat(warmth.cpuMicrosPerAnswer()).isEqualTo(1_000);
    }

    /// Rates of a web application with templates on one CPU, in steps of 6 s.
    @Test
    void a_rate_that_grows_slowly_while_the_compilers_work_is_not_steady() {
        boolean warm = false;
        for (long perSecond : new long[] {115, 143, 158, 177, 182, 202, 206}) {
            for (int window = 0; window < 12; window++) {
                warm |= saturated(perSecond, 0.2);
            }
        }
        assertThat(warm).isFalse();
    }

    @Test
    void a_falling_cost_is_not_steady_even_with_idle_compilers() {
        boolean warm = false;
        long perSecond = 100;
        for (int window = 0; window < 30; window++) {
            warm |= saturated(perSecond, 0);
            perSecond = perSecond * 11 / 10;
        }
        assertThat(warm).isFalse();
    }

    @Test
    void a_jumping_rate_does_not_matter_while_the_cost_is_steady() {
        boolean warm = false;
        for (int window = 0; window < 8; window++) {
            long answers = window % 2 == 0 ? 50 : 800;
            warm = warmth.add(new Warmth.Window(answers, answers * 0.0001, 0));
        }
        assertThat(warm).isTrue();
    }

    @Test
    void without_figures_of_processes_the_rate_decides() {
        boolean warm = false;
        for (int window = 0; window < 6; window++) {
            warm = warmth.add(new Warmth.Window(500, Double.NaN, 0));
        }
        assertThat(warm).isTrue();
        assertThat(warmth.cpuMicrosPerAnswer()).isNaN();
    }

    @Test
    void compilers_that_hardly_work_are_idle_even_if_the_service_hardly_works() {
        boolean warm = false;
        for (int window = 0; window < 6; window++) {
            warm = warmth.add(new Warmth.Window(10, 0.02, 0.005));
        }
        assertThat(warm).isTrue();
    }

    @Test
    void a_service_that_answers_nothing_is_never_warm() {
        boolean warm = false;
        for (int window = 0; window < 20; window++) {
            warm |= warmth.add(new Warmth.Window(0, 0.1, 0));
        }
        assertThat(warm).isFalse();
    }
}
