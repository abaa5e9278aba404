package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;

class ConntrackTableTest {
    private static final String WALL = "conntrack-table";

    private static Recorded tracked(double entries, double drops, double earlyDrops) {
        return Recorded.healthy()
                .serverSysctl("net.netfilter.nf_conntrack_max", "262144")
                .level(EndFigure.CONNTRACK_ENTRIES, End.SERVER, entries)
                .grows(EndFigure.CONNTRACK_DROPS, End.SERVER, drops)
                .grows(EndFigure.CONNTRACK_EARLY_DROPS, End.SERVER, earlyDrops)
                .grows(KernelCounter.SYN_RETRANS, End.CLIENT, drops);
    }

    /// As recorded with room for 12 more connections and a load of 40.
    @Test
    void a_full_table_while_connects_time_out_is_named_with_the_command_that_enlarges_it() {
        Recorded recorded = tracked(262_144, 84, 0).error("connect-timeout", 84);
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .contains(
                        "on the server, the kernel tracked 262144 of at most 262144 connections",
                        "84 packets were dropped because their connection found no place in the table",
                        "84 SYNs were retransmitted");
        assertThat(new ConntrackTable().advice(diagnosis.headline(), recorded.observation()))
                .extracting(Advice::command)
                .contains("sysctl -w net.netfilter.nf_conntrack_max=1048576");
    }

    @Test
    void unanswered_connections_that_are_given_up_are_only_near() {
        Diagnosis diagnosis = tracked(262_143, 0, 57_741).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// The kernel also counts a clash of two packets as a drop.
    @Test
    void drops_while_half_of_the_table_is_free_have_another_cause() {
        Diagnosis diagnosis = tracked(140_000, 3, 0).error("connect-timeout", 84).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).doesNotContain("near:" + WALL);
    }

    /// The table of a host is also that of its other programs.
    @Test
    void on_a_shared_host_a_full_table_is_named_only_if_this_load_repeats_handshakes() {
        Recorded repeats = tracked(262_144, 84, 0).host().error("connect-timeout", 84);
        assertThat(repeats.diagnosed().wallId()).contains(WALL);
        Diagnosis others = tracked(262_144, 84, 0).host().error("reset", 84).diagnosed();
        assertThat(others.wallId()).isEmpty();
        assertThat(others.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    /// A listener that drops handshakes explains them, whatever happens to other programs.
    @Test
    void on_a_shared_host_a_listener_that_drops_explains_repeated_handshakes() {
        Diagnosis diagnosis =
                tracked(262_144, 84, 0)
                        .host()
                        .listener(8080, 9, 8, 84)
                        .error("connect-timeout", 84)
                        .diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void a_full_table_that_harms_nobody_is_only_near() {
        Diagnosis diagnosis = tracked(262_144, 3, 0).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void an_empty_table_is_ruled_out() {
        assertThat(tracked(0, 0, 0).diagnosed().ruledOut())
                .contains(new Judgement.Clear(new ConntrackTable(), "no connection was tracked"));
    }

    /// Everybody may read the table and the listeners.
    @Test
    void the_table_of_a_hidden_service_is_judged_as_on_any_shared_host() {
        Recorded repeats = tracked(262_144, 84, 0).host().unwatched().error("connect-timeout", 84);
        assertThat(repeats.diagnosed().wallId()).contains(WALL);
        Recorded unread = tracked(262_144, 84, 0).host().unwatched().error("connect-timeout", 84);
        unread.level(ListenFigure.DROPS.of(8080), End.SERVER, Double.NaN);
        assertThat(unread.diagnosed().wallId()).isEmpty();
    }
}
