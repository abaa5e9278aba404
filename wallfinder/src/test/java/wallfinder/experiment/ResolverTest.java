package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResolverTest {
    private static final String TEXT = "10.0.0.9 {server} timeout:1";

    private static Experiment asking(String resolver) {
        return ExperimentFile.parse(
                """
                services:
                  echo: { command: echo-server, ready: "tcp://{server}:7" }
                sandbox:
                  server: { resolver: "%s" }
                load:
                  url: http://{server}:7/
                """
                        .formatted(resolver),
                "echo.yaml",
                "echo");
    }

    @Test
    void the_resolver_of_an_end_is_not_a_sysctl_and_can_be_changed() {
        Experiment experiment = asking(TEXT);
        assertThat(experiment.sandbox().server()).isEmpty();
        assertThat(experiment.sandbox().resolver(false)).isNull();
        Setting setting = new Setting.OfResolver(true);
        assertThat(experiment.value(setting)).isEqualTo(TEXT);
        String other = "10.0.0.7 timeout:2";
        assertThat(experiment.with(setting, other).value(setting)).isEqualTo(other);
        assertThat(experiment.value(new Setting.OfResolver(false))).isNull();
    }

    @Test
    void a_resolver_is_written_as_a_resolv_conf() {
        assertThat(Resolver.parse(TEXT).file(Map.of("server", "10.0.0.1")))
                .isEqualTo("nameserver 10.0.0.9\nnameserver 10.0.0.1\noptions timeout:1\n");
        assertThat(Resolver.parse("2001:2::1 ").file(Map.of())).isEqualTo("nameserver 2001:2::1\n");
    }

    @Test
    void the_order_and_the_timeout_can_be_changed() {
        assertThat(Resolver.parse(TEXT).rotated().text()).isEqualTo("{server} 10.0.0.9 timeout:1");
        assertThat(Resolver.parse("10.0.0.9 ndots:5 timeout:7").impatient().text())
                .isEqualTo("10.0.0.9 ndots:5 timeout:1 attempts:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nobody.example", "{home}", "timeout:1", "1.1.1.1 2.2.2.2 3.3.3.3 4.4.4.4"})
    void the_error_for_an_invalid_resolver_names_its_place(String resolver) {
        assertThatThrownBy(() -> asking(resolver))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("echo.yaml, line 4, sandbox.server.resolver");
    }
}
