package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadDumpTest {
    private static String worker(String pool, int number, double cpuMillis, int carries) {
        return "\"%s-worker-%d\" #2%d [736%d] daemon prio=5 os_prio=0 cpu=%.2fms elapsed=0.95s tid=0x7\n"
                        .formatted(pool, number, number, number, cpuMillis)
                + (carries > 0
                        ? "   Carrying virtual thread #%d\n\tat jdk.internal.vm.Continuation.run\n"
                                .formatted(carries)
                        : "   java.lang.Thread.State: WAITING (parking)\n")
                + "\n";
    }

    private static ThreadDump dump(String... threads) {
        return ThreadDump.of(
                "2026-11-20 12:00:00\nFull thread dump\n\n" + String.join("", threads));
    }

    private static final String POOL = "ForkJoinPool-1";

    @Test
    void an_idle_carrier_with_a_virtual_thread_is_held() {
        ThreadDump before = dump(worker(POOL, 1, 9.5, 38), worker(POOL, 2, 7, 39));
        ThreadDump after = dump(worker(POOL, 1, 9.5, 38), worker(POOL, 2, 7.1, 40));
        assertThat(after.carriers()).hasSize(2);
        assertThat(after.heldSince(before)).isEqualTo(2);
    }

    @Test
    void a_carrier_that_works_or_is_empty_is_not_held() {
        ThreadDump before =
                dump(worker(POOL, 1, 9.5, 38), worker(POOL, 2, 7, 39), worker(POOL, 3, 5, 0));
        ThreadDump after =
                dump(worker(POOL, 1, 10.4, 38), worker(POOL, 2, 7.12, 39), worker(POOL, 3, 5, 41));
        assertThat(after.heldSince(before)).isZero();
    }

    @Test
    void other_pools_of_the_program_are_not_counted() {
        ThreadDump dump =
                dump(
                        worker("ForkJoinPool-1", 1, 9, 0),
                        worker("ForkJoinPool-2", 1, 9, 38),
                        worker("ForkJoinPool-2", 2, 9, 0),
                        "\"main\" #1 [12] prio=5 os_prio=0 cpu=80.1ms elapsed=1s\n\n");
        assertThat(dump.carriers().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        List.of("ForkJoinPool-2-worker-1", "ForkJoinPool-2-worker-2"));
    }
}
