package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Joins a load, from 1,000 s to 1,005 s by its clock, with a watch of the server.
class PeerJoinTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Key COUNTER = new KernelCounter("grows");
    private static final ServerSide.Clocks COMPARED_BADLY =
            new ServerSide.Clocks.Compared(3 * SECOND, 2_800_000_000L);

    private static long[] nanos(int samples) {
        long[] nanos = new long[samples];
        for (int i = 0; i < samples; i++) {
            nanos[i] = i * SECOND / 10;
        }
        return nanos;
    }

    /// The value of the counter is the time of its sample, in tenths of a second.
    private static Series clock(End end, long start, int samples) {
        double[] values = new double[samples];
        for (int i = 0; i < samples; i++) {
            values[i] = start * 10.0 + i;
        }
        return new Series(COUNTER.at(end, "test"), values);
    }

    private List<PeerJoin.GeneratorCpus> generators =
            List.of(new PeerJoin.GeneratorCpus("here", List.of(0, 1)));

    private SandboxFacts there = facts(true);

    private static SandboxFacts facts(boolean watched) {
        SandboxFacts.ServiceFacts web =
                new SandboxFacts.ServiceFacts(
                        "web", 7, List.of(8080), List.of(), new TreeMap<>(), null, null);
        return SimulatedTrials.facts(
                "host", watched ? 4 : 2, 2, watched, watched ? List.of(web) : List.of());
    }

    private PeerJoin.Joined joined(long watchStart, int seconds, @Nullable Long error) {
        return joined(watchStart, seconds, error, 8080);
    }

    private PeerJoin.Joined joined(long watchStart, int seconds, @Nullable Long error, int port) {
        return joined(watchStart, seconds, error, port, new ServerSide.Clocks.OfKernels());
    }

    private PeerJoin.Joined joined(
            long watchStart,
            int seconds,
            @Nullable Long error,
            int port,
            ServerSide.Clocks clocks) {
        return joined(watchStart, seconds, error, port, clocks, null);
    }

    private PeerJoin.Joined joined(
            long watchStart,
            int seconds,
            @Nullable Long error,
            int port,
            ServerSide.Clocks clocks,
            @Nullable String lost,
            Caveat... caveats) {
        Timeline own =
                new Timeline(
                        nanos(51), List.of(clock(End.CLIENT, 1_000, 51), clock(End.SERVER, 0, 51)));
        Observation load = new Observation(new LoadOutcome.Unseen(5), own, facts(false));
        int samples = seconds * 10 + 1;
        Peer peer =
                new Peer(
                        "web, process 7",
                        "there",
                        "another",
                        watchStart * SECOND,
                        error,
                        List.of(0, 1, 2, 3),
                        new Timeline(
                                nanos(samples), List.of(clock(End.SERVER, watchStart, samples))),
                        there);
        return PeerJoin.join(
                new PeerJoin.Client(load, 5 * SECOND, 1_000 * SECOND, 0L, "here", generators, port),
                new ServerSide.Seen(peer, clocks, List.of(caveats), lost));
    }

    private static Series server(PeerJoin.Joined joined) {
        return joined.observation().timeline().find(COUNTER, End.SERVER).orElseThrow();
    }

    @Test
    void each_value_of_the_server_is_moved_to_its_instant_of_the_load() {
        PeerJoin.Joined joined = joined(990, 30, 3_000_000L);
        assertThat(server(joined).values()).containsExactly(clock(End.CLIENT, 1_000, 51).values());
        assertThat(joined.caveats()).isEmpty();
        assertThat(joined.peerSummary()).contains("web, process 7", "there", "0.003 s");
        assertThat(joined.observation().facts().serverWatched()).isTrue();
        assertThat(joined.observation().facts().serverCpus()).isEqualTo(4);
        assertThat(joined.observation().timeline().series()).hasSize(2);
    }

    /// The load lasts from 1,000 s to 1,005 s.
    @Test
    void a_watch_that_saw_the_service_end_under_the_load_is_joined() {
        assertThat(joined(999, 1, 0L).peerSummary()).isNull();
        List<Caveat> end = List.of(Doubt.SERVICE_ENDED.caveat("web", 1.0));
        there = there.with(true, there.services(), end);
        PeerJoin.Joined ended = joined(999, 1, 0L);
        assertThat(ended.peerSummary()).contains("web, process 7");
        assertThat(ended.caveats()).isEmpty();
        assertThat(server(ended).values()).endsWith(Double.NaN);
        assertThat(joined(900, 1, 0L).peerSummary()).as("it ended before the load").isNull();
    }

    @Test
    void the_service_shares_its_cpus_with_any_generator_on_its_host() {
        PeerJoin.GeneratorCpus elsewhere = new PeerJoin.GeneratorCpus("a third", List.of(0, 1));
        assertThat(isShared(elsewhere, new PeerJoin.GeneratorCpus("another", List.of(3, 4))))
                .isTrue();
        assertThat(isShared(elsewhere, new PeerJoin.GeneratorCpus("another", List.of(4, 5))))
                .isFalse();
    }

    private boolean isShared(PeerJoin.GeneratorCpus... all) {
        generators = List.of(all);
        return joined(990, 30, 0L).observation().facts().sharedCpus();
    }

    @Test
    void a_watch_from_before_the_load_is_not_joined_and_the_reason_is_given() {
        PeerJoin.Joined joined = joined(900, 60, 0L);
        assertThat(joined.peerSummary()).isNull();
        assertThat(joined.observation().facts().serverWatched()).isFalse();
        assertThat(joined.caveats())
                .singleElement()
                .satisfies(caveat -> {
                    assertThat(caveat.id()).isEqualTo("peer-not-joined");
                    assertThat(caveat.advice()).contains("ended 40.0 s before the load began");
                });
    }

    @Test
    void a_watch_from_after_the_load_is_not_joined() {
        assertThat(joined(1_010, 60, 0L).caveats().getFirst().advice())
                .contains("began 5.0 s after the load had ended");
    }

    @Test
    void a_watch_of_a_part_of_the_load_is_joined_with_a_doubt() {
        PeerJoin.Joined joined = joined(1_001, 60, 0L);
        assertThat(ids(joined)).containsExactly("peer-partial");
        assertThat(server(joined).values()[0]).isNaN();
        assertThat(server(joined).growth()).isEqualTo(40);
    }

    @Test
    void a_lost_watch_says_how_long_after_the_start_of_the_load_it_ended() {
        PeerJoin.Joined joined =
                joined(990, 14, 0L, 8080, new ServerSide.Clocks.OfKernels(), "killed");
        assertThat(ids(joined)).containsExactly("peer-lost", "peer-partial");
        assertThat(joined.caveats().getFirst().advice())
                .contains("ended 4.0 s after the start of the measurement (killed)");
        PeerJoin.Joined before =
                joined(900, 14, 0L, 8080, new ServerSide.Clocks.OfKernels(), "killed");
        assertThat(before.caveats().getFirst().advice())
                .contains("ended 0.0 s after the start of the measurement (killed)");
    }

    @Test
    void a_watch_of_a_small_part_of_the_load_is_not_joined() {
        assertThat(ids(joined(1_004, 60, 0L))).containsExactly("peer-not-joined");
    }

    @Test
    void unsynchronized_clocks_are_a_doubt() {
        assertThat(ids(joined(990, 30, null))).containsExactly("peer-clocks");
        assertThat(ids(joined(990, 30, 3 * SECOND))).containsExactly("peer-clocks");
    }

    @Test
    void slow_messages_are_a_doubt_that_does_not_advise_ntp() {
        PeerJoin.Joined joined = joined(990, 30, 0L, 8080, COMPARED_BADLY);
        assertThat(ids(joined)).containsExactly("peer-clocks");
        assertThat(joined.caveats().getFirst().advice())
                .contains("over a path with less delay")
                .doesNotContain("NTP");
    }

    @Test
    void a_jump_of_a_clock_is_one_doubt() {
        Caveat jump = Doubt.PEER_CLOCK_JUMPED.caveat(2.8);
        assertThat(ids(joined(990, 30, 0L, 8080, COMPARED_BADLY, null, jump)))
                .containsExactly("peer-clock-jumped");
    }

    @Test
    void a_watch_of_another_service_is_a_doubt() {
        assertThat(ids(joined(990, 30, 0L, 8443))).containsExactly("peer-other-service");
    }

    @Test
    void compared_clocks_count_instead_of_those_of_the_kernels() {
        // By the kernels' clocks the watch would be from another day.
        ServerSide.Clocks clocks = new ServerSide.Clocks.Compared(3 * SECOND, 250_000);
        PeerJoin.Joined joined = joined(100_000, 30, null, 8080, clocks);
        assertThat(ids(joined)).isEmpty();
        assertThat(server(joined).values()[0]).isEqualTo(1_000_020);
        assertThat(joined.peerSummary()).endsWith("its clock compared to within 0.250 ms");
    }

    /// Slowly read counters are up to ten seconds old in any sample but the last.
    @Test
    void the_load_ends_with_the_last_sample_if_that_is_near() {
        assertThat(server(watchedUntil(5_150_000_000L)).last()).isEqualTo(10_060);
        assertThat(server(watchedUntil(5_350_000_000L)).last()).as("too late").isEqualTo(10_057);
    }

    /// Six seconds, until this time after the start of the load of five seconds.
    private PeerJoin.Joined watchedUntil(long nanos) {
        long zero = 5 * SECOND + nanos - 6 * SECOND;
        return joined(1_000, 6, 0L, 8080, new ServerSide.Clocks.Compared(zero, 0));
    }

    private static List<String> ids(PeerJoin.Joined joined) {
        return joined.caveats().stream().map(Caveat::id).toList();
    }
}
