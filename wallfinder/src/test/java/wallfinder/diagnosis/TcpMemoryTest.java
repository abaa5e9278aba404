package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
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
        assertThat(NotNamed.because(diagnosis, WallId.TCP_MEMORY))
                .contains("the sockets of users held 0.9 MB of their 1.0 MB");
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

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.TCP_MEMORY);
    }

    @Test
    void what_was_read_of_the_sockets_memory_is_said() {
        assertThat(because(Recorded.healthy()))
                .isEqualTo("unknown: the sockets' memory was not read");
        assertThat(because(cgroup(0.5, 0)))
                .isEqualTo(
                        "no limit of TCP memory was reached: the sockets of users held 0.5 MB of their 1.0 MB");
        assertThat(because(host(2_048)))
                .isEqualTo(
                        "no limit of TCP memory was reached: all sockets of the host held 8.0 MB of their 15.6 MB");
        Recorded unlimited =
                Recorded.healthy().level(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, 5 * MB);
        assertThat(because(unlimited)).isEqualTo("no limit of TCP memory was reached");
    }

    @Test
    void the_fullest_of_several_services_is_named() {
        Recorded two =
                slow(cgroup(1.2, 120))
                        .level(CgroupFigure.TCP_MEMORY.of("cache"), End.SERVER, 9 * MB)
                        .level(CgroupFigure.TCP_MEMORY_LIMIT.of("cache"), End.SERVER, 8 * MB);
        assertThat(two.diagnosed().headline().evidence().getFirst().says())
                .startsWith("the sockets of users held 1.2 MB");
        two.level(CgroupFigure.TCP_MEMORY.of("cache"), End.SERVER, 10 * MB);
        assertThat(two.diagnosed().headline().evidence().getFirst().says())
                .startsWith("the sockets of cache held 10.0 MB");
        Recorded quiet =
                cgroup(0.5, 0)
                        .level(CgroupFigure.TCP_MEMORY.of("cache"), End.SERVER, 5 * MB)
                        .level(CgroupFigure.TCP_MEMORY_LIMIT.of("cache"), End.SERVER, 8 * MB);
        assertThat(because(quiet)).endsWith("the sockets of cache held 5.0 MB of their 8.0 MB");
        quiet.level(CgroupFigure.TCP_MEMORY.of("cache"), End.SERVER, 3 * MB);
        assertThat(because(quiet)).endsWith("the sockets of users held 0.5 MB of their 1.0 MB");
    }

    /// A load command in a cgroup of its own, whose server sends again what the client dropped.
    @Test
    void a_client_whose_sockets_are_full_is_named() {
        Recorded client =
                slow(Recorded.healthy())
                        .level(CgroupFigure.TCP_MEMORY.of("load"), End.CLIENT, 1.2 * MB)
                        .level(CgroupFigure.TCP_MEMORY_LIMIT.of("load"), End.CLIENT, MB)
                        .grows(KernelCounter.PRUNED, End.CLIENT, 70)
                        .grows(KernelCounter.RETRANSMITS, End.SERVER, 60);
        assertThat(client.diagnosed().wallId()).contains(WALL);
        assertThat(client.diagnosed().headline().end()).isEqualTo(End.CLIENT);
        assertThat(client.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "70 times a socket had to give up memory",
                        "60 segments were retransmitted");
    }

    @Test
    void a_full_cgroup_is_the_limit_of_its_end_whatever_the_other_end_drops() {
        Recorded recorded = slow(cgroup(1.2, 120));
        recorded.grows(KernelCounter.RECEIVE_DROPS, End.CLIENT, 900);
        assertThat(recorded.diagnosed().headline().end()).isEqualTo(End.SERVER);
    }

    @Test
    void of_a_short_host_the_end_with_more_drops_is_named() {
        Recorded recorded = host(4_010).error("reset", 900);
        assertThat(recorded.diagnosed().headline().end()).isEqualTo(End.SERVER);
        assertThat(recorded.diagnosed().headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "all TCP sockets of the host held 4010 pages; from 3000 on the kernel is under memory pressure, and the limit is 4000",
                        "the kernel ended 30 connections for lack of memory");
        recorded.grows(KernelCounter.RECEIVE_DROPS, End.CLIENT, 229);
        assertThat(recorded.diagnosed().headline().end()).isEqualTo(End.SERVER);
        recorded.grows(KernelCounter.RECEIVE_DROPS, End.CLIENT, 231);
        assertThat(recorded.diagnosed().headline().end()).isEqualTo(End.CLIENT);
    }

    /// From a share of 5 % of the samples on, it is full for long enough.
    @Test
    void a_limit_that_is_nearly_reached_in_a_few_samples_is_proof() {
        double[] held = new double[41];
        Arrays.fill(held, 0, 2, 0.96 * MB);
        Recorded brief = slow(cgroup(0, 120));
        brief.put(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, held);
        assertThat(brief.diagnosed().wallId()).contains("server-concurrency");
        held[2] = 0.96 * MB;
        assertThat(brief.diagnosed().wallId()).contains(WALL);
    }

    @Test
    void a_watch_names_sockets_that_are_full_for_most_of_the_time() {
        Recorded watched = cgroup(1.2, 120).everySecond();
        assertThat(WatchedJudgementTest.watched(watched).wallId()).contains(WALL);
        double[] held = new double[Recorded.SECONDS + 1];
        Arrays.fill(held, 0, 5, 1.2 * MB);
        watched.put(CgroupFigure.TCP_MEMORY.of("users"), End.SERVER, held);
        Diagnosis brief = WatchedJudgementTest.watched(watched);
        assertThat(brief.wallId()).isEmpty();
        assertThat(brief.caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo("near:" + WALL);
                    assertThat(caveat.advice())
                            .contains(
                                    "the sockets of users held 1.2 MB",
                                    "but in no more than 45 % of the time");
                });
    }

    @Test
    void a_watch_names_a_short_host_that_drops_most_of_the_time() {
        Recorded watched = host(4_010).everySecond();
        watched.put(KernelCounter.PRUNED, End.SERVER, 0, 9, 18, 27, 36, 45, 45, 45, 45, 45, 45);
        watched.put(KernelCounter.ABORTS_FOR_MEMORY, End.SERVER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 18);
        assertThat(WatchedJudgementTest.watched(watched).wallId()).contains(WALL);
        watched.put(KernelCounter.PRUNED, End.SERVER, 0, 9, 18, 27, 36, 36, 36, 36, 36, 36, 36);
        assertThat(WatchedJudgementTest.watched(watched).wallId()).isEmpty();
    }

    @Test
    void the_advice_names_the_limit_of_the_cgroup() {
        Recorded recorded = slow(cgroup(1.2, 120));
        assertThat(new TcpMemory().advice(recorded.diagnosed().headline(), recorded.observation()))
                .extracting(Advice::command)
                .first()
                .asString()
                .startsWith("raise memory.kmem.tcp.limit_in_bytes");
    }
}
