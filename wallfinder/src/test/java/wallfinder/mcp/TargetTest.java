package wallfinder.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.UsageException;

class TargetTest {
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8080/x, THIS_HOST",
        "http://127.9.8.7/, THIS_HOST",
        "https://LOCALHOST/, THIS_HOST",
        "http://[::1]:80/, THIS_HOST",
        "http://10.0.0.1/, PRIVATE",
        "http://172.16.0.1/, PRIVATE",
        "http://172.31.255.255/, PRIVATE",
        "http://192.168.1.1/, PRIVATE",
        "http://[fd00::1]/, PRIVATE",
        "http://172.32.0.1/, ELSEWHERE",
        "http://8.8.8.8/, ELSEWHERE",
        "http://0.0.0.0/, ELSEWHERE",
        "http://[2001:db8::1]/, ELSEWHERE",
        "http://[fec0::1]/, ELSEWHERE",
        "http://[::]/, ELSEWHERE",
        "http://[::ffff:8.8.8.8]/, ELSEWHERE",
        "http://localhost.example.com/, ELSEWHERE",
        "http://127.0.0.1.example.com/, ELSEWHERE",
        "http://example.com/127.0.0.1, ELSEWHERE"
    })
    void only_addresses_and_localhost_are_near(String url, Target.Reach reach) {
        assertThat(Target.of(url).reach()).isEqualTo(reach);
    }

    @Test
    void a_link_local_address_is_elsewhere_and_so_are_the_clouds_own_data() {
        assertThat(Target.of("http://[fd00:ec2::254]/").reach()).isEqualTo(Target.Reach.ELSEWHERE);
        assertThat(Target.of("http://169.254.169.254/").reach()).isEqualTo(Target.Reach.ELSEWHERE);
        assertThat(Target.of("http://[fe80::1]/").reach()).isEqualTo(Target.Reach.ELSEWHERE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1@example.com/",
                "http://127.0.0.1\\@example.com/",
                "http://127.0.0.1 .example.com/",
                "http:///etc/passwd",
                "file:///etc/passwd",
                "unix://localhost/x",
                "127.0.0.1"
            })
    void a_url_that_hides_its_host_is_refused(String url) {
        assertThatThrownBy(() -> Target.of(url)).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.1/", "http://2130706433/", "http://0177.0.0.1/"})
    void an_unusual_form_of_an_address_is_not_near(String url) {
        assertThatThrownBy(() -> Target.of(url).checkPaced(allowing()))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void this_host_gets_any_load_and_a_private_address_only_one_with_a_rate() {
        Target own = Target.of("http://127.0.0.1/");
        Target shared = Target.of("http://10.0.0.1/");
        assertThatCode(() -> own.checkUnpaced(allowing())).doesNotThrowAnyException();
        assertThatCode(() -> shared.checkPaced(allowing())).doesNotThrowAnyException();
        assertThatThrownBy(() -> shared.checkUnpaced(allowing()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("others may use");
    }

    @Test
    void an_allowed_host_gets_any_load() {
        Target named = Target.of("http://Shop.example.com:8080/");
        assertThatThrownBy(() -> named.checkPaced(allowing())).isInstanceOf(UsageException.class);
        assertThatCode(() -> named.checkUnpaced(allowing("shop.example.com")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> named.checkPaced(allowing("example.com")))
                .isInstanceOf(UsageException.class);
    }

    private static Permissions allowing(String... hosts) {
        return new Permissions(
                Set.of(hosts), false, 10, 10, Duration.ofSeconds(1), Duration.ofSeconds(1));
    }
}
