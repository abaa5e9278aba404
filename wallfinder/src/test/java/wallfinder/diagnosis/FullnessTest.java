package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.ShaperFigure;

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

    /// In ten seconds.
    @Test
    void what_a_link_and_a_shaper_carry_in_a_second_is_a_share_of_their_speed() {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .grows(LinkFigure.SENT.of("eth0"), End.SERVER, 900e6)
                                .grows(LinkFigure.RECEIVED.of("eth0"), End.SERVER, 250e6)
                                .level(LinkFigure.SPEED.of("eth0"), End.SERVER, 125e6)
                                .grows(ShaperFigure.SENT.of("eth0 tbf 8001:"), End.CLIENT, 10e6)
                                .level(ShaperFigure.RATE.of("eth0 tbf 8001:"), End.CLIENT, 2e6)
                                .observation());
        assertThat(share(all, "link out eth0", End.SERVER)).isCloseTo(0.72, within(1e-9));
        assertThat(share(all, "link in eth0", End.SERVER)).isCloseTo(0.2, within(1e-9));
        assertThat(share(all, "shaper eth0 tbf 8001:", End.CLIENT)).isCloseTo(0.5, within(1e-9));
        assertThat(all)
                .filteredOn(one -> one.wall() == WallId.BANDWIDTH)
                .extracting(Fullness::used)
                .containsExactly(90e6, 1e6, 25e6);
    }

    @Test
    void all_services_together_use_the_cpus_and_each_thread_can_use_one() {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .sharing(4, 0)
                                .cpuShare(1.5)
                                .busiestThreadShare(0.9)
                                .grows(ProcessFigure.CPU.of("cache"), End.SERVER, 5)
                                .level(ProcessFigure.CPU.of("gone"), End.SERVER, Double.NaN)
                                .observation());
        assertThat(all)
                .filteredOn(one -> one.wall() == WallId.CPU)
                .extracting(Fullness::limit, Fullness::used, Fullness::most)
                .containsExactly(tuple("one thread users", 0.9, 1.0), tuple("CPU", 2.0, 4.0));
    }

    @Test
    void a_thread_that_may_hide_a_full_one_is_left_out() {
        Recorded later =
                Recorded.healthy()
                        .sharing(4, 0)
                        .cpuShare(1.5)
                        .put(ProcessFigure.BUSIEST_THREAD.of("users"), End.SERVER, 60, 61, 62);
        assertThat(Fullness.of(later.observation()))
                .filteredOn(one -> one.wall() == WallId.CPU)
                .extracting(Fullness::limit)
                .containsExactly("CPU");
    }

    @Test
    void a_cpu_time_that_nobody_read_is_left_out() {
        List<Fullness> all =
                Fullness.of(
                        Recorded.healthy()
                                .level(ProcessFigure.CPU.of("users"), End.SERVER, Double.NaN)
                                .observation());
        assertThat(all).extracting(Fullness::limit).containsExactly("accept queue 8080");
    }
}
