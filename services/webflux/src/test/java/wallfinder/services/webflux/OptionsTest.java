package wallfinder.services.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void without_options_the_documented_defaults_apply() {
        Options options = Options.parse();
        assertThat(options.host()).isEqualTo("0.0.0.0");
        assertThat(options.port()).isEqualTo(8080);
        assertThat(options.backlog()).isEqualTo(128);
        int loops = Math.max(4, Runtime.getRuntime().availableProcessors());
        assertThat(options.server()).isEqualTo(new Server.Netty(Transport.EPOLL, loops));
        assertThat(options.redis()).isEmpty();
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
                                "--transport=io_uring",
                                "--eventLoops=2",
                                "--store=redis://users.example:6379",
                                "--lookup=blocking",
                                "--latency=2s"))
                .isEqualTo(
                        new Options(
                                "::1",
                                9,
                                4096,
                                new Server.Netty(Transport.IO_URING, 2),
                                Optional.of(URI.create("redis://users.example:6379")),
                                Options.Lookup.BLOCKING,
                                Duration.ofSeconds(2)));
    }

    @Test
    void other_servers_have_threads_and_redis_has_no_added_latency() {
        assertThat(Options.parse("--server=tomcat").server())
                .isEqualTo(new Server.Tomcat(200, 8_192));
        assertThat(Options.parse("--server=tomcat", "--connections=64").server())
                .isEqualTo(new Server.Tomcat(200, 64));
        assertThat(Options.parse("--server=jetty", "--threads=8").server())
                .isEqualTo(new Server.Jetty(8));
        assertThat(Options.parse("--store=redis://127.0.0.1:6379").latency()).isZero();
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
                "--threads=4",
                "--server=undertow",
                "--transport=kqueue",
                "--store=redis://nowhere",
                "--store=redis://me:secret@host:1",
                "--store=postgres",
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--transport=nio | --transport goes with --server=netty only",
                "--eventLoops=4 | --eventLoops goes with --server=netty only",
                "--connections=4 | --connections goes with --server=tomcat only",
                "--threads=7 | --threads must be a number from 8 to 10000, not 7"
            })
    void options_of_another_server_are_refused(String option, String message) {
        assertThatThrownBy(() -> Options.parse("--server=jetty", option)).hasMessage(message);
    }
}
