package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.PortsFigure;

/// A proxy whose ports towards its upstream are all in use.
class EphemeralPortsTest {
    private static final String BEHIND = "127.0.0.1:9090";

    private static Recorded proxy(double used) {
        return Recorded.healthy()
                .level(PortsFigure.USED.of(BEHIND), End.SERVER, used)
                .level(PortsFigure.LIMIT.of(BEHIND), End.SERVER, 200);
    }

    @Test
    void a_service_with_server_errors_and_without_ports_is_named() {
        Diagnosis diagnosis = proxy(200).error("status-5xx", 9_000).diagnosed();
        assertThat(diagnosis.wallId()).contains("ephemeral-ports");
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
        assertThat(judged(proxy(0))).isInstanceOf(Judgement.Clear.class);
    }

    private static Judgement judged(Recorded recorded) {
        return recorded.diagnosed().ruledOut().stream()
                .filter(out -> out.wall().id() == WallId.EPHEMERAL_PORTS)
                .findFirst()
                .orElseThrow();
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
        assertThat(diagnosis.caveats()).anyMatch(c -> c.id().equals("near:ephemeral-ports"));
    }
}
