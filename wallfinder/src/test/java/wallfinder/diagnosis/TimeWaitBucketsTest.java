package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;

class TimeWaitBucketsTest {
    private static final String NEAR = "near:time-wait-buckets";

    private static Recorded overflowing() {
        return Recorded.healthy()
                .grows(KernelCounter.TIME_WAIT_OVERFLOW, End.CLIENT, 300)
                .clientSysctl("net.ipv4.tcp_max_tw_buckets", "100");
    }

    @Test
    void connections_without_a_place_in_time_wait_are_near() {
        Diagnosis diagnosis = overflowing().diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo(NEAR);
                    assertThat(caveat.advice())
                            .contains(
                                    "on the client, 300 connections", "tcp_max_tw_buckets is 100");
                });
    }

    @Test
    void errors_without_enough_drops_have_another_cause() {
        Diagnosis diagnosis = overflowing().error("reset", 900).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    private static Recorded onSharedHost(double opened) {
        return overflowing().host().grows(KernelCounter.ACTIVE_OPENS, End.CLIENT, opened);
    }

    /// Another program of the host opens ten times as many connections.
    @Test
    void connections_of_other_programs_are_not_taken_for_those_of_the_load() {
        Recorded own = onSharedHost(0);
        double opened = ((LoadOutcome.Driven) own.observation().load()).connectionsOpened();
        assertThat(opened).isPositive();
        assertThat(onSharedHost(10 * opened).diagnosed().caveats())
                .extracting(Caveat::id)
                .doesNotContain(NEAR);
        assertThat(onSharedHost(opened).diagnosed().caveats())
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo(NEAR);
                    assertThat(caveat.advice()).contains("on the host, 300 connections");
                });
    }

    @Test
    void a_host_on_which_no_connection_lacked_a_place_rules_the_wall_out() {
        Recorded host =
                Recorded.healthy().host().grows(KernelCounter.TIME_WAIT_OVERFLOW, End.CLIENT, 0);
        assertThat(because(host)).contains("was refused its place");
    }

    private static String because(Recorded recorded) {
        return NotNamed.because(recorded.diagnosed(), WallId.TIME_WAIT_BUCKETS);
    }

    @Test
    void the_end_with_more_of_them_is_described() {
        assertThat(because(overflowing().grows(KernelCounter.TIME_WAIT_OVERFLOW, End.SERVER, 299)))
                .startsWith("on the client, 300 connections");
        assertThat(because(overflowing().grows(KernelCounter.TIME_WAIT_OVERFLOW, End.SERVER, 301)))
                .startsWith("on the server, 301 connections")
                .contains("(net.ipv4.tcp_max_tw_buckets is unknown)");
    }

    @Test
    void without_the_kernels_counter_it_is_unknown() {
        assertThat(because(Recorded.healthy()))
                .isEqualTo("unknown: the kernel's counters were not read");
    }

    /// The load opened 64 connections, and connections that others accept count as theirs.
    @Test
    void on_a_shared_host_the_load_must_have_opened_most_of_the_connections() {
        assertThat(because(onSharedHost(80))).startsWith("on the host, 300 connections");
        assertThat(because(onSharedHost(81)))
                .isEqualTo(
                        "unknown: on the whole host, 300 connections found no place in TIME_WAIT, perhaps those of other programs");
        Recorded accepting = onSharedHost(64).grows(KernelCounter.PASSIVE_OPENS, End.CLIENT, 81);
        assertThat(because(accepting)).startsWith("unknown: on the whole host");
        assertThat(because(onSharedHost(64).command())).startsWith("unknown: on the whole host");
    }
}
