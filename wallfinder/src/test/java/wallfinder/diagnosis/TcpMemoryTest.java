package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;

class TcpMemoryTest {
    private static final String WALL = "tcp-memory";
    private static final double MB = 1 << 20;

    private static Recorded cgroup(double megabytes, double drops) {
        return Recorded.healthy()
                .level(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, megabytes * MB)
                .level(CgroupFigure.TCP_MEMORY_LIMIT.of("users"), End.SERVER, MB)
                .grows(KernelCounter.RECEIVE_DROPS, End.SERVER, drops)
                .grows(KernelCounter.PRUNED, End.SERVER, drops)
                .grows(KernelCounter.RETRANSMITS, End.CLIENT, drops);
    }

    private static Recorded slow(Recorded recorded) {
        return recorded.responseMillis(700, 900);
    }

    @Test
    void sockets_at_their_limit_while_segments_are_dropped_are_named() {
        Diagnosis diagnosis = slow(cgroup(1.2, 120)).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.THROUGHPUT);
        assertThat(diagnosis.also()).isEmpty();
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "the sockets of users held 1.2 MB, and may hold 1.0 MB; they were full in 100 % of the samples",
                        "120 segments that had arrived were dropped",
                        "120 segments were retransmitted");
    }

    @Test
    void a_limit_that_is_reached_without_harm_is_only_near() {
        Diagnosis unharmed = cgroup(1.1, 9).diagnosed();
        assertThat(unharmed.verdict()).isEqualTo(Verdict.NONE);
        assertThat(unharmed.caveats()).extracting(Caveat::id).contains("near:" + WALL);
        Diagnosis nothingDropped = slow(cgroup(1.1, 0)).diagnosed();
        assertThat(nothingDropped.wallId()).contains("server-concurrency");
        assertThat(nothingDropped.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void on_a_shared_host_the_drops_may_be_those_of_others() {
        Diagnosis diagnosis = slow(cgroup(1.2, 120)).host().diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// As recorded from a Go server: batches fill the memory for milliseconds, followed by a wait
    /// of half a second.
    @Test
    void a_limit_that_was_exceeded_once_is_proof_and_one_that_was_nearly_reached_once_is_not() {
        double[] held = new double[40];
        held[17] = 1.8 * MB;
        Recorded burst = slow(cgroup(0, 120));
        burst.put(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, held);
        assertThat(burst.diagnosed().wallId()).contains(WALL);
        held[17] = 0.97 * MB;
        assertThat(burst.diagnosed().wallId()).contains("server-concurrency");
    }

    /// The samples saw a third of the limit; the kernel's own high-water mark rose above the limit
    /// in between.
    @Test
    void the_kernels_mark_shows_a_peak_between_two_samples() {
        Key peak = CgroupFigure.TCP_MEMORY_PEAK.of("users");
        Recorded burst = slow(cgroup(0.3, 120));
        burst.put(peak, End.SERVER, new double[] {0.1 * MB, 0.1 * MB, 1.3 * MB});
        assertThat(burst.diagnosed().wallId()).contains(WALL);
        assertThat(burst.diagnosed().headline().evidence().getFirst().says())
                .startsWith("the sockets of users held 1.3 MB, and may hold 1.0 MB");
        burst.put(peak, End.SERVER, new double[] {1.3 * MB, 1.3 * MB, 1.3 * MB});
        assertThat(burst.diagnosed().wallId())
                .as("from before the run")
                .contains("server-concurrency");
    }

    /// A socket's own buffer is full, as for any slow reader.
    @Test
    void drops_for_one_sockets_full_buffer_are_not_the_limit() {
        Diagnosis diagnosis = slow(cgroup(0.9, 120)).diagnosed();
        assertThat(diagnosis.wallId()).contains("server-concurrency");
        assertThat(diagnosis.ruledOut())
                .anySatisfy(out ->
                        assertThat(out.because())
                                .contains("the sockets of users held 0.9 MB of their 1.0 MB"));
    }

    private static Recorded host(double pages) {
        return Recorded.healthy()
                .level(KernelCounter.TCP_PAGES, End.SERVER, pages)
                .level(EndFigure.TCP_MEMORY_PRESSURE, End.SERVER, 3_000)
                .level(EndFigure.TCP_MEMORY_LIMIT, End.SERVER, 4_000)
                .grows(KernelCounter.ABORTS_FOR_MEMORY, End.SERVER, 30)
                .grows(KernelCounter.PRUNED, End.SERVER, 200);
    }

    @Test
    void the_limit_of_the_whole_host_is_named_with_the_command_that_raises_it() {
        Recorded recorded = host(4_010).error("reset", 900);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(new TcpMemory().advice(diagnosis.headline(), recorded.observation()))
                .extracting(Advice::command)
                .contains("sysctl -w net.ipv4.tcp_mem=\"4500 6000 8000\"");
        assertThat(host(2_400).error("reset", 900).diagnosed().wallId()).isEmpty();
    }

    @Test
    void more_is_asked_for_where_the_experiment_sets_the_limit() {
        Limits given = new Limits(null, null, null, null, null, 1L << 20, null);
        Recorded stopped = slow(cgroup(1.2, 120));
        assertThat(RemedyTest.texts(stopped, given)).containsExactly("users.tcpMemory 1m -> 16m");
        assertThat(RemedyTest.texts(stopped, Limits.NONE)).isEmpty();
    }
}
