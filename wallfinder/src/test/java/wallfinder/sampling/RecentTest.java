package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Fullness;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.ProcessFigure;

/// The newest values of a measurement, as the live view shows them.
class RecentTest {
    private static final long SECOND = 1_000_000_000L;

    private final List<Counter> counters =
            List.of(
                    ListenFigure.QUEUE.of(8080).at(End.SERVER, "sock_diag"),
                    ListenFigure.LIMIT.of(8080).at(End.SERVER, "sock_diag"),
                    ProcessFigure.CPU.of("web").at(End.SERVER, "/proc/PID/stat"),
                    ProcessFigure.BUSIEST_THREAD.of("web").at(End.SERVER, "/proc/PID/task"));

    private final Recent recent = new Recent(counters);

    private double share(String limit) {
        return Fullness.of(recent.timeline(), 2).stream()
                .filter(one -> one.limit().equals(limit))
                .mapToDouble(Fullness::share)
                .findFirst()
                .orElse(Double.NaN);
    }

    private void add(double seconds, double... row) {
        recent.add((long) (seconds * SECOND), row);
    }

    @Test
    void a_level_is_the_largest_of_about_the_last_second() {
        add(0, 0, 128, 0, 0);
        add(0.1, 128, 128, 0, 0);
        add(0.2, 32, 128, 0, 0);
        add(0.9, 16, 128, 0, 0);
        assertThat(share("accept queue 8080")).isEqualTo(1);
        add(1.1, 0, 128, 0, 0);
        assertThat(share("accept queue 8080")).isEqualTo(0.125);
        add(9, 8, 128, 0, 0);
        add(9.6, 4, 128, 0, 0);
        assertThat(share("accept queue 8080")).isEqualTo(0.0625);
    }

    @Test
    void a_value_that_could_not_be_read_keeps_the_one_before() {
        add(0, 64, 128, 0, 0);
        add(0.1, Double.NaN, Double.NaN, 0, 0);
        assertThat(share("accept queue 8080")).isEqualTo(0.5);
    }

    @Test
    void cpu_time_is_a_rate_of_about_the_last_second() {
        add(0, 0, 128, 10, 1);
        assertThat(share("CPU")).isNaN();
        add(1, 0, 128, 11, 1);
        assertThat(share("CPU")).isCloseTo(0.5, within(1e-9));
        add(2, 0, 128, 13, 1);
        assertThat(share("CPU")).isCloseTo(1, within(1e-9));
    }

    @Test
    void an_idle_service_uses_no_cpu() {
        add(0, 0, 128, 10, 1);
        add(1, 0, 128, 11, 1);
        add(3, 0, 128, 11, 1);
        assertThat(share("CPU")).isZero();
    }

    @Test
    void a_counter_that_is_read_every_ten_seconds_has_the_rate_of_this_time() {
        add(0, 0, 128, 0, 0);
        add(10, 0, 128, 1, 8);
        add(11, 0, 128, 2, 8);
        assertThat(share("one thread web")).isCloseTo(0.8, within(1e-9));
        add(20, 0, 128, 3, 9);
        assertThat(share("one thread web")).isCloseTo(0.1, within(1e-9));
    }
}
