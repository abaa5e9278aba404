package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SandboxSpecTest {
    private static SandboxSpec sandbox(String text) {
        String file =
                """
                services: { web: { command: server, ready: "tcp://{server}:80" } }
                sandbox: %s
                load: { url: "http://{server}/" }
                """
                        .formatted(text);
        return ExperimentFile.parse(file, "web.yaml", "web").sandbox();
    }

    @Test
    void the_ends_have_ipv4_or_ipv6_addresses() {
        assertThat(sandbox("{ server: { net.core.somaxconn: 8 } }").v6()).isFalse();
        assertThat(sandbox("{ ip: 4 }").v6()).isFalse();
        assertThat(sandbox("{ ip: 6, server: { net.core.somaxconn: 8 } }"))
                .satisfies(spec -> assertThat(spec.v6()).isTrue())
                .satisfies(
                        spec -> assertThat(spec.server()).containsEntry("net.core.somaxconn", "8"));
        assertThatThrownBy(() -> sandbox("{ ip: 5 }"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("sandbox.ip: '5' is not 4 or 6");
    }
}
