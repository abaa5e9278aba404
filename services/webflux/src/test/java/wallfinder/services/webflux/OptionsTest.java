package wallfinder.services.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void nothing_given_means_the_documented_defaults() {
        Options options = Options.parse();
        assertThat(options.host()).isEqualTo("0.0.0.0");
        assertThat(options.port()).isEqualTo(8080);
        assertThat(options.backlog()).isEqualTo(128);
        assertThat(options.eventLoops())
                .isEqualTo(Math.max(4, Runtime.getRuntime().availableProcessors()));
        assertThat(options.lookup()).isEqualTo(Options.Lookup.ASYNC);
        assertThat(options.latency()).isEqualTo(Duration.ofMillis(15));
    }

    @Test
    void every_option_is_taken() {
        assertThat(
                        Options.parse(
                                "--host=::1",
                                "--port=9",
                                "--backlog=4096",
                                "--eventLoops=2",
                                "--lookup=blocking",
                                "--latency=2s"))
                .isEqualTo(
                        new Options(
                                "::1", 9, 4096, 2, Options.Lookup.BLOCKING, Duration.ofSeconds(2)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--backlogs=128",
                "--port",
                "port=1",
                "--port=65536",
                "--port=http",
                "--backlog=0",
                "--eventLoops=0",
                "--lookup=slow",
                "--latency=soon",
                "--latency=-1ms",
                "--host=example.org"
            })
    void a_wrong_option_is_named(String wrong) {
        String name = wrong.replaceFirst("^--", "").replaceFirst("=.*", "");
        assertThatThrownBy(() -> Options.parse(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }
}
