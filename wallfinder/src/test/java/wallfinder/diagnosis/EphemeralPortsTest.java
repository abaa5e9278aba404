package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.experiment.WallId;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;

/// A proxy whose ports towards its upstream are all in use.
class EphemeralPortsTest {
    private static final String WALL = "ephemeral-ports";
    private static final String RANGE = "net.ipv4.ip_local_port_range";
    private static final String BEHIND = "127.0.0.1:9090";

    private static Recorded proxy(double used) {
        return Recorded.healthy()
                .level(PortsFigure.USED.of(BEHIND), End.SERVER, used)
                .level(PortsFigure.LIMIT.of(BEHIND), End.SERVER, 200);
    }

    @Test
    void a_service_with_server_errors_and_without_ports_is_named() {
        Diagnosis diagnosis = proxy(200).error("status-5xx", 9_000).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.SERVER);
        assertThat(diagnosis.headline().harm()).isEqualTo(Harm.ERRORS);
    }

    /// A service that hides its descriptors on a network that other programs share.
    @Test
    void ports_that_were_not_read_are_unknown() {
        Recorded hidden = Recorded.healthy().host().error("status-5xx", 9_000);
        assertThat(judged(hidden)).isInstanceOf(Judgement.Unknown.class);
        hidden.level(PortsFigure.USED.of(BEHIND), End.SERVER, Double.NaN);
        assertThat(judged(hidden)).isInstanceOf(Judgement.Unknown.class);
        assertThat(judged(proxy(0)).because())
                .isEqualTo("no port was seen in use towards another address");
    }

    private static Judgement.NotBinding judged(Recorded recorded) {
        return NotNamed.of(recorded.diagnosed(), WallId.EPHEMERAL_PORTS);
    }

    @Test
    void server_errors_with_free_ports_have_another_cause() {
        Diagnosis diagnosis = proxy(120).error("status-5xx", 9_000).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void ports_that_are_gone_while_nobody_asks_for_one_are_only_near() {
        Diagnosis diagnosis = proxy(200).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.NONE);
        assertThat(diagnosis.caveats()).anyMatch(c -> c.id().equals("near:" + WALL));
    }

    @Test
    void what_is_missing_depends_on_whether_the_server_was_watched() {
        Recorded hidden = Recorded.healthy().host();
        assertThat(judged(hidden).because()).isEqualTo("unknown: " + Missing.READINGS.reason());
        assertThat(judged(hidden.unwatched()).because())
                .isEqualTo("unknown: " + Missing.SERVER.reason());
    }

    /// One failed request in 4,000 is no harm by itself.
    @Test
    void a_few_server_errors_are_enough_if_the_service_has_no_port_left() {
        Diagnosis diagnosis = proxy(200).error("status-5xx", 10).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly("200 of 200 local ports towards 127.0.0.1:9090 were in use");
        assertNear(client(200).error("status-5xx", 10));
    }

    /// The ports of the client, of which as many are left as connections come and go.
    private static Recorded client(double used) {
        return Recorded.healthy()
                .level(PortsFigure.USED.of("busiest"), End.CLIENT, used)
                .level(PortsFigure.LIMIT.of("busiest"), End.CLIENT, 200);
    }

    private static Recorded connected(double used, double connected) {
        return client(used).level(PortsFigure.CONNECTED.of("busiest"), End.CLIENT, connected);
    }

    private static void assertNear(Recorded recorded) {
        Diagnosis diagnosis = recorded.diagnosed();
        assertThat(diagnosis.wallId()).isNotEqualTo(Optional.of(WALL));
        assertThat(diagnosis.caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    void ports_that_ran_out_between_two_counts_are_named() {
        Diagnosis diagnosis = connected(184, 64).error("connect-no-port", 900).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.headline().evidence())
                .extracting(Evidence::says)
                .containsExactly("184 of 200 local ports towards one destination were in use");
    }

    @Test
    void ports_that_did_not_run_out_between_two_counts_are_only_near() {
        assertNear(connected(170, 64).error("connect-refused", 900));
        assertNear(connected(184, 8).error("connect-refused", 900));
        assertNear(client(184).error("connect-refused", 900));
        assertNear(connected(184, 64).responseMillis(240, 2_000));
    }

    @Test
    void a_command_that_counts_no_errors_may_have_failed() {
        Recorded full = client(200).commandWithAnswers(0);
        assertThat(full.diagnosed().wallId()).contains(WALL);
        assertNear(full.error("command", 0));
    }

    @Test
    void ports_that_are_all_in_use_most_of_the_time_are_named_without_a_client() {
        Recorded mostly = proxy(0).put(PortsFigure.USED.of(BEHIND), End.SERVER, 120, 197, 200);
        Diagnosis diagnosis = mostly.diagnosedUnseen();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().harm()).isNull();
        Recorded once = proxy(0).put(PortsFigure.USED.of(BEHIND), End.SERVER, 120, 195, 200);
        assertThat(once.diagnosedUnseen().caveats())
                .extracting(Caveat::advice)
                .contains(
                        "200 of 200 local ports towards 127.0.0.1:9090 were in use, but in no more than 33 % of the time");
    }

    @Test
    void the_fullest_of_several_destinations_counts() {
        Recorded recorded =
                proxy(100)
                        .level(PortsFigure.USED.of("10.0.0.7:5432"), End.SERVER, 700)
                        .level(PortsFigure.LIMIT.of("10.0.0.7:5432"), End.SERVER, 1_000)
                        .level(PortsFigure.USED.of("10.0.0.8:5432"), End.SERVER, 900);
        assertThat(judged(recorded).because())
                .isEqualTo("700 of 1000 local ports towards 10.0.0.7:5432 were in use");
        assertThat(judged(recorded.level(PortsFigure.USED.of(BEHIND), End.SERVER, 150)).because())
                .isEqualTo("150 of 200 local ports towards 127.0.0.1:9090 were in use");
    }

    @Test
    void the_ports_of_the_end_without_ports_are_widened() {
        assertThat(widened(proxy(200).error("status-5xx", 9_000)))
                .containsExactly(new Setting.OfSysctl(true, RANGE));
        assertThat(widened(client(200).error("connect-no-port", 900)))
                .containsExactly(new Setting.OfSysctl(false, RANGE));
    }

    private static List<Setting> widened(Recorded recorded) {
        recorded.serverSysctl(RANGE, "32768 32967").clientSysctl(RANGE, "32768 32967");
        Judgement.Binds ports = recorded.diagnosed().headline();
        Experiment experiment = RemedyTest.experiment(RemedyTest.service("users", Map.of()));
        return ports.wall().remedies(ports, recorded.observation(), experiment).stream()
                .map(remedy -> remedy.changes().getFirst().setting())
                .toList();
    }

    @Test
    void what_is_set_already_is_no_remedy() {
        Recorded recorded =
                proxy(200)
                        .error("status-5xx", 9_000)
                        .clientSysctl("net.ipv4.tcp_tw_reuse", "0")
                        .serverSysctl(RANGE, "1024\t65535\n")
                        .serverSysctl("net.ipv4.tcp_tw_reuse", "2");
        assertThat(RemedyTest.texts(recorded, Limits.NONE))
                .containsExactly("net.ipv4.tcp_tw_reuse 2 -> 1");
        recorded.serverSysctl("net.ipv4.tcp_tw_reuse", "1");
        assertThat(RemedyTest.texts(recorded, Limits.NONE)).isEmpty();
        recorded.serverSysctl(RANGE, "32768\t32967\n");
        assertThat(RemedyTest.texts(recorded, Limits.NONE))
                .containsExactly("net.ipv4.ip_local_port_range 32768 32967 -> 1024 65535");
    }
}
