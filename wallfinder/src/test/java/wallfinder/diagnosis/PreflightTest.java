package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.End;
import wallfinder.observation.RequestCost;

class PreflightTest {
    private static final double UNKNOWN = Double.NaN;

    private static Bound bound(Kind kind, End end, double limit, double inUse, double hold) {
        return new Bound(
                kind,
                end,
                limit,
                inUse,
                hold,
                new Bound.Setter("somebody", List.of("set {to}")),
                "somewhere");
    }

    private static Bound bound(Kind kind, double limit, double inUse) {
        return bound(kind, End.SERVER, limit, inUse, 0);
    }

    private static final Bound PORTS = bound(Kind.LOCAL_PORTS, End.CLIENT, 28_232, 0, 60);

    private static LoadNeeds kept(int connections, double perSecond) {
        return new LoadNeeds(connections, perSecond, true, false, true, 1, 1, false, false);
    }

    private static LoadNeeds churned(int connections, double perSecond) {
        return new LoadNeeds(connections, perSecond, false, false, true, 1, 1, false, false);
    }

    private static RequestCost takes(double seconds, double cpuSeconds) {
        return new RequestCost(seconds, cpuSeconds, true, UNKNOWN, UNKNOWN);
    }

    private static List<Limit> limits(LoadNeeds plan, RequestCost cost, Bound... bounds) {
        return Preflight.limits(plan, cost, Arrays.asList(bounds));
    }

    private static Limit only(LoadNeeds plan, RequestCost cost, Bound bound) {
        List<Limit> limits =
                limits(plan, cost, bound).stream()
                        .filter(limit -> !limit.wall().equals("client-connections"))
                        .toList();
        assertThat(limits).hasSize(1);
        return limits.getFirst();
    }

    @Test
    void a_closed_connection_keeps_its_port_for_a_minute() {
        List<Limit> limits = limits(churned(100, 5_000), RequestCost.UNKNOWN, PORTS);
        Limit first = limits.getFirst();
        assertThat(first.wall()).isEqualTo("ephemeral-ports");
        assertThat(first.unit()).isEqualTo("new connections/s");
        assertThat(first.hitAt()).isCloseTo(470.5, within(0.1));
        assertThat(first.needs()).isEqualTo(5_000);
        assertThat(first.stops()).isTrue();
        assertThat(first.moves())
                .containsExactly(
                        "reuse connections (keep-alive): read responses to their end, and pool",
                        "set 380000 # then at most 1,075 new connections/s",
                        "connect from 11 addresses (--source A-B)");
    }

    @Test
    void a_full_table_of_sockets_makes_chains_longer_and_stops_nothing() {
        LoadNeeds plan = kept(300_000, UNKNOWN);
        Limit one = only(plan, RequestCost.UNKNOWN, bound(Kind.SOCKET_BUCKETS, 262_144, 144));
        assertThat(one.hitAt()).isEqualTo(262_000);
        assertThat(one.fits()).isFalse();
        assertThat(one.stops()).isFalse();
        assertThat(one.note()).contains("stops nothing", "1.6 on average");
        Limit both =
                only(plan, RequestCost.UNKNOWN, bound(Kind.SOCKET_BUCKETS_OF_BOTH, 262_144, 144));
        assertThat(both.hitAt()).isEqualTo(131_000);
        assertThat(both.note()).contains("2.1 on average", "both ends");
        Limit small =
                only(kept(10, UNKNOWN), RequestCost.UNKNOWN, bound(Kind.SOCKET_BUCKETS, 64, 0));
        assertThat(small.note()).doesNotContain("on average");
    }

    /// The kernel counts watches for each user of the whole host, so no test provokes this wall;
    /// this one checks the arithmetic.
    @Test
    void a_connection_between_two_ends_of_one_user_takes_two_epoll_watches() {
        Bound watches = bound(Kind.EPOLL_WATCHES, 5_491_511, UNKNOWN);
        LoadNeeds apart = new LoadNeeds(3_000_000, UNKNOWN, true, false, true, 1, 1, true, false);
        assertThat(only(apart, RequestCost.UNKNOWN, watches).fits()).isTrue();
        LoadNeeds both = new LoadNeeds(3_000_000, UNKNOWN, true, false, true, 1, 1, true, true);
        Limit limit = only(both, RequestCost.UNKNOWN, watches);
        assertThat(limit.hitAt()).isEqualTo(2_745_755.5);
        assertThat(limit.stops()).isTrue();
        assertThat(limit.note()).contains("both ends run as one");
    }

    @Test
    void ports_in_use_are_not_free() {
        Bound held = bound(Kind.LOCAL_PORTS, End.CLIENT, 28_232, 8_232, 60);
        Limit limit = only(kept(20_001, UNKNOWN), RequestCost.UNKNOWN, held);
        assertThat(limit.hitAt()).isEqualTo(20_000);
        assertThat(limit.stops()).isTrue();
        assertThat(only(kept(20_000, UNKNOWN), RequestCost.UNKNOWN, held).stops()).isFalse();
    }

    @Test
    void each_source_address_has_the_range_for_itself() {
        LoadNeeds plan = new LoadNeeds(50_000, UNKNOWN, true, false, true, 2, 1, false, false);
        Limit limit = only(plan, RequestCost.UNKNOWN, PORTS);
        assertThat(limit.hitAt()).isEqualTo(56_464);
        assertThat(limit.fits()).isTrue();
    }

    @Test
    void if_the_server_closes_the_ports_are_free_at_once() {
        LoadNeeds plan = new LoadNeeds(100, 5_000, false, false, false, 1, 1, false, false);
        assertThat(limits(plan, RequestCost.UNKNOWN, PORTS))
                .filteredOn(limit -> limit.wall().equals("ephemeral-ports"))
                .isNotEmpty()
                .allMatch(Limit::fits);
        Bound buckets = bound(Kind.TIME_WAIT_SOCKETS, End.SERVER, 131_072, 0, 60);
        assertThat(limits(plan, RequestCost.UNKNOWN, buckets))
                .anySatisfy(limit -> {
                    assertThat(limit.wall()).isEqualTo("time-wait-buckets");
                    assertThat(limit.fits()).isFalse();
                    assertThat(limit.stops()).as("it stops nothing").isFalse();
                });
    }

    @Test
    void kept_connections_leave_nothing_behind() {
        Bound buckets = bound(Kind.TIME_WAIT_SOCKETS, End.CLIENT, 131_072, 0, 60);
        assertThat(limits(kept(10, UNKNOWN), RequestCost.UNKNOWN, buckets)).isEmpty();
        assertThat(limits(kept(10, UNKNOWN), RequestCost.UNKNOWN, PORTS)).hasSize(1);
    }

    @Test
    void a_connection_of_a_proxy_takes_two_descriptors() {
        Bound descriptors = bound(Kind.PROCESS_DESCRIPTORS, 1_024, 24);
        LoadNeeds plan = kept(600, UNKNOWN);
        assertThat(only(plan, RequestCost.UNKNOWN, descriptors).hitAt()).isEqualTo(1_000);
        Limit proxy = only(plan, new RequestCost(UNKNOWN, UNKNOWN, true, UNKNOWN, 2), descriptors);
        assertThat(proxy.hitAt()).isEqualTo(500);
        assertThat(proxy.stops()).isTrue();
        assertThat(proxy.moves()).as("a quarter more, in two digits").containsExactly("set 1600");
    }

    @Test
    void a_host_with_both_ends_shares_its_files_between_them() {
        Bound files = bound(Kind.HOST_FILES, 100_000, 0);
        LoadNeeds both = new LoadNeeds(60_000, UNKNOWN, true, false, true, 1, 1, true, false);
        assertThat(only(both, RequestCost.UNKNOWN, files).stops()).isTrue();
        assertThat(only(kept(60_000, UNKNOWN), RequestCost.UNKNOWN, files).stops()).isFalse();
    }

    @Test
    void one_more_than_its_length_fits_a_queue() {
        Bound queue = bound(Kind.ACCEPT_QUEUE, 128, 0);
        LoadNeeds batch = new LoadNeeds(129, UNKNOWN, false, true, true, 1, 1, false, false);
        assertThat(only(batch, RequestCost.UNKNOWN, queue).stops()).isFalse();
        LoadNeeds larger = new LoadNeeds(130, UNKNOWN, false, true, true, 1, 1, false, false);
        assertThat(only(larger, RequestCost.UNKNOWN, queue).stops()).isTrue();
    }

    @Test
    void the_time_in_which_a_rate_of_connections_fills_a_queue_is_in_the_note() {
        Limit limit =
                only(churned(100, 5_000), RequestCost.UNKNOWN, bound(Kind.ACCEPT_QUEUE, 4_096, 0));
        assertThat(limit.note()).contains("0.819 s");
        assertThat(limit.stops()).as("a service that accepts in time is not stopped").isFalse();
    }

    @Test
    void a_thread_limit_binds_only_if_each_connection_has_a_thread() {
        Bound tasks = bound(Kind.CGROUP_TASKS, 30, 1);
        LoadNeeds plan = kept(48, UNKNOWN);
        Limit each = only(plan, new RequestCost(UNKNOWN, UNKNOWN, true, 1, 1), tasks);
        assertThat(each.hitAt()).isEqualTo(29);
        assertThat(each.stops()).isTrue();
        assertThat(only(plan, RequestCost.UNKNOWN, tasks).stops()).isFalse();
        assertThat(only(plan, new RequestCost(UNKNOWN, UNKNOWN, true, 0, 1), tasks).stops())
                .isFalse();
    }

    @Test
    void a_pool_gives_its_size_over_the_time_of_a_request() {
        Bound pool = bound(Kind.CONCURRENCY, 4, UNKNOWN);
        Limit limit = only(kept(100, 300), takes(0.015, UNKNOWN), pool);
        assertThat(limit.hitAt()).isCloseTo(266.7, within(0.1));
        assertThat(limit.stops()).isTrue();
        Limit closed = only(kept(4, UNKNOWN), takes(0.015, UNKNOWN), pool);
        assertThat(closed.share()).as("four connections for four places").isEqualTo(1);
    }

    @Test
    void a_quota_gives_its_time_over_that_of_a_request_and_a_closed_loop_fits() {
        Bound quota = bound(Kind.CPU_QUOTA, 0.2, UNKNOWN);
        Limit open = only(kept(10, 100), takes(0.01, 0.004), quota);
        assertThat(open.hitAt()).isCloseTo(50, within(1e-9));
        assertThat(open.stops()).isTrue();
        Limit closed = only(kept(10, UNKNOWN), takes(0.01, 0.004), quota);
        assertThat(closed.share()).isCloseTo(20, within(1e-9));
        assertThat(closed.stops()).isFalse();
        Limit unknown = only(kept(10, 100), RequestCost.UNKNOWN, quota);
        assertThat(unknown.share()).isNaN();
    }

    @Test
    void code_that_is_not_compiled_yet_stops_no_plan() {
        RequestCost cold = new RequestCost(0.02, 0.008, false, UNKNOWN, UNKNOWN);
        Limit limit = only(kept(10, 5_000), cold, bound(Kind.CPUS, 2, UNKNOWN));
        assertThat(limit.fits()).isFalse();
        assertThat(limit.stops()).isFalse();
        assertThat(limit.note()).contains("less when its code is compiled");
    }

    @Test
    void a_rate_needs_as_many_connections_as_there_are_requests_under_way() {
        List<Limit> limits = limits(kept(50, 5_000), takes(0.015, UNKNOWN));
        assertThat(limits).hasSize(1);
        assertThat(limits.getFirst().wall()).isEqualTo("client-connections");
        assertThat(limits.getFirst().hitAt()).isCloseTo(3_333, within(1.0));
        assertThat(limits.getFirst().stops()).isTrue();
    }

    @Test
    void a_table_that_tracks_nothing_does_not_stop_a_plan() {
        Bound idle = bound(Kind.TRACKED_CONNECTIONS, End.SERVER, 1_000, 0, 120);
        assertThat(limits(churned(5_000, 100), RequestCost.UNKNOWN, idle)).noneMatch(Limit::stops);
        Bound used = bound(Kind.TRACKED_CONNECTIONS, End.SERVER, 1_000, 400, 120);
        assertThat(limits(churned(500, 100), RequestCost.UNKNOWN, used))
                .filteredOn(Limit::stops)
                .extracting(Limit::unit, Limit::hitAt)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("new connections/s", 5.0));
    }

    @Test
    void the_first_wall_comes_first_and_unknown_needs_come_last() {
        List<Limit> limits =
                limits(
                        kept(1_000, UNKNOWN),
                        RequestCost.UNKNOWN,
                        bound(Kind.ACCEPT_QUEUE, 1, 0),
                        bound(Kind.HOST_FILES, 1_000_000, 0),
                        bound(Kind.PROCESS_DESCRIPTORS, 512, 0),
                        bound(Kind.PROCESS_DESCRIPTORS, 256, 0),
                        PORTS);
        assertThat(limits)
                .extracting(Limit::limit)
                .containsExactly(256.0, 512.0, 28_232.0, 1_000_000.0, 1.0);
    }

    @Test
    void a_limit_that_is_full_now_stops_any_plan() {
        Limit limit =
                only(
                        kept(1, UNKNOWN),
                        RequestCost.UNKNOWN,
                        bound(Kind.PROCESS_DESCRIPTORS, 64, 64));
        assertThat(limit.stops()).isTrue();
        assertThat(limit.moves()).containsExactly("set N");
    }

    @Test
    void without_a_plan_everything_fits() {
        assertThat(limits(kept(0, UNKNOWN), RequestCost.UNKNOWN, PORTS))
                .isNotEmpty()
                .allMatch(limit -> Double.isNaN(limit.share()) && limit.fits());
    }
}
