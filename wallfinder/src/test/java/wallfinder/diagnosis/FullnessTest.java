package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;

/// How full the limits were, from recorded counters.
class FullnessTest {
    private static double share(List<Fullness> all, String limit, End end) {
        return all.stream()
                .filter(one -> one.limit().equals(limit) && one.end() == end)
                .mapToDouble(Fullness::share)
                .findFirst()
                .orElse(Double.NaN);
    }

    @Test
    void each_limit_has_its_share_and_the_fullest_comes_first() {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .cpuShare(0.4)
                                .level(ListenFigure.QUEUE.of(8080), End.SERVER, 120)
                                .level(ListenFigure.LIMIT.of(8080), End.SERVER, 128)
                                .level(ProcessFigure.DESCRIPTORS.of("users"), End.SERVER, 200)
                                .level(ProcessFigure.DESCRIPTOR_LIMIT.of("users"), End.SERVER, 1024)
                                .level(PortsFigure.USED.of("busiest"), End.CLIENT, 14_116)
                                .level(PortsFigure.LIMIT.of("busiest"), End.CLIENT, 28_232)
                                .observation());
        assertThat(all.getFirst().limit()).isEqualTo("accept queue 8080");
        assertThat(all.getFirst().share()).isCloseTo(120.0 / 128, within(1e-9));
        assertThat(share(all, "ports busiest", End.CLIENT)).isCloseTo(0.5, within(1e-9));
        assertThat(share(all, "CPU", End.SERVER)).isCloseTo(0.4, within(0.01));
        assertThat(share(all, "descriptors users", End.SERVER))
                .isCloseTo(200.0 / 1024, within(1e-9));
    }

    private static double queue(double drops, double overflows) {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .level(ListenFigure.QUEUE.of(8080), End.SERVER, 59)
                                .level(ListenFigure.LIMIT.of(8080), End.SERVER, 128)
                                .grows(ListenFigure.DROPS.of(8080), End.SERVER, drops)
                                .grows(KernelCounter.LISTEN_OVERFLOWS, End.SERVER, overflows)
                                .observation());
        return share(all, "accept queue 8080", End.SERVER);
    }

    @Test
    void a_queue_that_overflowed_was_full_even_if_no_sample_saw_it() {
        assertThat(queue(315, 315)).isEqualTo(1);
        assertThat(queue(0, 315)).as("another listener").isCloseTo(59.0 / 128, within(1e-9));
        assertThat(queue(315, 0)).as("another reason").isCloseTo(59.0 / 128, within(1e-9));
    }

    @Test
    void a_level_without_a_known_limit_is_left_out() {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .level(ProcessFigure.DESCRIPTORS.of("users"), End.SERVER, 200)
                                .observation());
        assertThat(all).extracting(Fullness::limit).doesNotContain("descriptors users");
    }
}
