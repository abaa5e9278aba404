package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Lines of the logs of ZGC and Shenandoah.
class CollectorLogTest {
    private final CollectorLog log = new CollectorLog();

    @Test
    void waits_at_the_same_time_add_up_over_threads_but_not_in_time() {
        log.add(
                List.of(
                        "[1030000000ns] Allocation Stall (pool-1 (a)) 10.000ms",
                        "[1031000000ns] Allocation Stall (main) 31.000ms",
                        "[2000000000ns] Allocation Stall (main) 5.000ms"));
        CollectorLog.Stalls stalls = log.sums().stalls();
        assertThat(stalls.count()).isEqualTo(3);
        assertThat(stalls.threadSeconds()).isCloseTo(0.046, within(1e-9));
        assertThat(stalls.seconds()).isCloseTo(0.036, within(1e-9));
        assertThat(stalls.longestSeconds()).isCloseTo(0.031, within(1e-9));
    }

    @Test
    void a_cycle_that_a_stall_caused_is_no_stall() {
        log.add(
                List.of(
                        "[5530731241ns] GC(206) Minor Collection (Allocation Stall)",
                        "[5530731241ns] Relocation Stall (w1) 4.435ms",
                        "[5530731241ns] GC(206) Minor Collection (Allocation Stall) 62M(48%)->40M(31%) 0.012s"));
        assertThat(log.sums().stalls().count()).isZero();
        assertThat(log.sums().pauses().count()).isZero();
    }

    @Test
    void only_pauses_of_shenandoah_are_pauses() {
        log.add(
                List.of(
                        "[1ns] GC(7) Concurrent marking 80.000ms",
                        "[2ns] GC(7) Pause Init Mark (unload classes) 0.250ms",
                        "[3ns] GC(7) Pause Degenerated GC (Mark) 100M->60M(128M) 20.000ms",
                        "[4ns] GC(8) Pause Full 100M->60M(128M) 30.000ms"));
        assertThat(log.sums().pauses().count()).isEqualTo(3);
        assertThat(log.sums().pauses().seconds()).isCloseTo(0.05025, within(1e-9));
        assertThat(log.sums().fullPauses().count()).isEqualTo(1);
    }
}
