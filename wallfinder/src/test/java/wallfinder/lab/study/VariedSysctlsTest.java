package wallfinder.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.ExperimentFile;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;

class VariedSysctlsTest {
    private static VariedSysctls of(String matrix) {
        String text =
                """
                services:
                  web: { command: "server {mode}", ready: { log: ready } }
                sandbox:
                  server: { net.core.somaxconn: 77, net.ipv4.tcp_rmem: "{memory.text}" }
                  client: { net.ipv4.tcp_tw_reuse: 1 }
                load: { url: "http://{server}:8080/" }
                matrix:
                  memory: [{ name: plain, text: "4096 1 2" }, %s]
                  mode: [a, b]
                """
                        .formatted(matrix);
        return VariedSysctls.of(
                ExperimentFile.parseMatrix(text, "x.yaml", "x", jvm -> Optional.empty()));
    }

    private static List<Caveat> stays(String subject) {
        return List.of(
                Doubt.NO_CGROUPS.caveat(""),
                Doubt.SYSCTL_NOT_APPLIED.about(subject, "it", "server", "1", "2"));
    }

    @Test
    void a_cell_without_its_own_setting_is_not_measured() {
        VariedSysctls varied = of("{ name: large, text: \"4096 2 4\" }");
        assertThat(varied.names()).containsExactly("server.net.ipv4.tcp_rmem");
        assertThat(varied.missing(stays("server.net.ipv4.tcp_rmem"))).contains("instead of 2");
        assertThat(varied.missing(stays("client.net.ipv4.tcp_rmem"))).isNull();
        assertThat(varied.missing(List.of())).isNull();
    }

    /// All cells lack it alike, so their differences have other reasons.
    @Test
    void a_setting_that_no_cell_has_is_only_a_doubt() {
        VariedSysctls varied = of("{ name: same, text: \"4096 1 2\" }");
        assertThat(varied.names()).isEmpty();
        assertThat(varied.missing(stays("server.net.core.somaxconn"))).isNull();
    }
}
