package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.PortsFigure;

class ConnectionChurnTest {
    private static final String WALL = "connection-churn";

    /// The client uses some of 256 ports, of which closed connections take a part.
    private static Recorded ports(double used, double closed) {
        return Recorded.healthy()
                .command()
                .level(PortsFigure.USED.of("10.0.0.1:8080"), End.CLIENT, used)
                .level(PortsFigure.LIMIT.of("10.0.0.1:8080"), End.CLIENT, 256)
                .level(KernelCounter.TIME_WAIT, End.CLIENT, closed)
                .level(KernelCounter.TCP_IN_USE, End.CLIENT, used - closed)
                .grows(KernelCounter.ACTIVE_OPENS, End.CLIENT, 20_000)
                .clientSysctl("net.ipv4.ip_local_port_range", "32768\t33023")
                .clientSysctl("net.ipv4.tcp_tw_reuse", "2");
    }

    @Test
    void churn_is_the_cause_if_closed_connections_hold_the_ports() {
        Diagnosis diagnosis = ports(256, 250).error("command", 44).diagnosed();
        assertThat(diagnosis.wallId()).contains(WALL);
        assertThat(diagnosis.headline().end()).isEqualTo(End.CLIENT);
        assertThat(diagnosis.also())
                .extracting(also -> also.wall().id().word())
                .containsExactly("ephemeral-ports");
        assertThat(diagnosis.headline().evidence().get(1).says())
                .isEqualTo(
                        "20000 connections were opened, for 2.0 requests each:"
                                + " 2000.0 a second x 60 s are 120000 ports, and there are 256");
    }

    @Test
    void ports_that_open_connections_take_up_are_not_churn() {
        Diagnosis diagnosis = ports(256, 100).error("command", 44).diagnosed();
        assertThat(diagnosis.wallId()).contains("ephemeral-ports");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void connections_that_a_client_closes_as_it_ends_were_alive_when_the_ports_ran_out() {
        Diagnosis diagnosis =
                ports(256, 250)
                        .error("command", 44)
                        .put(KernelCounter.TIME_WAIT, End.CLIENT, 0, 0, 254)
                        .put(KernelCounter.TCP_IN_USE, End.CLIENT, 0, 256, 2)
                        .diagnosed();
        assertThat(diagnosis.wallId()).contains("ephemeral-ports");
        assertThat(diagnosis.also()).isEmpty();
    }

    @Test
    void closing_harms_nobody_while_ports_are_left() {
        Diagnosis diagnosis = ports(150, 150).error("command", 44).diagnosed();
        assertThat(diagnosis.verdict()).isEqualTo(Verdict.UNNAMED);
    }

    @Test
    void reuse_of_connections_is_tried_before_more_ports() {
        assertThat(
                        RemedyTest.texts(
                                ports(256, 250).error("command", 44),
                                Map.of("idle", new Knob("5", WallId.find(WALL), null, List.of())),
                                Limits.NONE))
                .containsExactly(
                        "idle 5 -> 80",
                        "net.ipv4.ip_local_port_range 32768 33023 -> 1024 65535",
                        "net.ipv4.tcp_tw_reuse 2 -> 1");
    }
}
