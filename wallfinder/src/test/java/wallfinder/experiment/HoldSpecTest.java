package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldSpecTest {
    @ParameterizedTest
    @CsvSource({
        "tcp://127.0.0.1:8000, 127.0.0.1, 8000, 1",
        "tcp://127.0.0.1:8000-8003, 127.0.0.1, 8000, 4",
        "tcp://a-host.example:1-65535, a-host.example, 1, 65535",
        "tcp://[::1]:80-80, ::1, 80, 1"
    })
    void a_target_is_a_host_and_ports(String text, String host, int port, int ports) {
        assertThat(HoldSpec.target(text)).isEqualTo(new HoldSpec.Target(host, port, ports));
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:80, tcp://",
        "127.0.0.1:80, tcp://",
        "tcp://127.0.0.1, no host and port",
        "tcp://:80, no host and port",
        "tcp://127.0.0.1:, is not a port",
        "tcp://127.0.0.1:x, is not a port",
        "tcp://127.0.0.1:0, no port 0",
        "tcp://127.0.0.1:8000-70000, no port 70000",
        "tcp://127.0.0.1:8001-8000, not a range",
        "tcp://127.0.0.1:1-2-3, not a range",
        "tcp://127.0.0.1:80/path, is not a port"
    })
    void the_error_for_an_invalid_target_gives_the_reason(String text, String why) {
        assertThatThrownBy(() -> HoldSpec.target(text))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(why);
    }

    @Test
    void messages_have_a_rate_only_where_they_have_an_interval() {
        assertThat(messages(HoldSpec.Kind.ECHO, 500).perSecond(100)).isEqualTo(200);
        assertThat(messages(HoldSpec.Kind.ECHO, 0).perSecond(100)).isNaN();
        assertThat(messages(HoldSpec.Kind.IDLE, 500).perSecond(100)).isNaN();
    }

    private static HoldSpec.Messages messages(HoldSpec.Kind kind, int millis) {
        return new HoldSpec.Messages(
                kind, Duration.ofMillis(millis), Duration.ZERO, 4, Duration.ofSeconds(1));
    }
}
