package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class PlaceholdersTest {
    @Test
    void names_are_filled_in_and_other_braces_are_plain_text() {
        String text = "{jvm}/java {\"a\": 1} \\d{3} {} {backlog}";

        assertThat(Placeholders.names(text)).containsExactly("jvm", "backlog");
        assertThat(Placeholders.fill(text, Map.of("jvm", "/opt/$1", "backlog", "{jvm}")))
                .isEqualTo("/opt/$1/java {\"a\": 1} \\d{3} {} {jvm}");
    }

    @Test
    void an_ipv6_address_has_brackets_in_a_url_and_nowhere_else() {
        Map<String, String> names = Map.of("server", "2001:2::1", "pool", "a:b");
        assertThat(Placeholders.fill("http://{server}:8080/{server} -b {server} //{pool}", names))
                .isEqualTo("http://[2001:2::1]:8080/2001:2::1 -b 2001:2::1 //a:b");
        assertThat(Template.fill("http://{server}:8080/", names))
                .isEqualTo("http://[2001:2::1]:8080/");
        assertThat(Placeholders.fill("http://{server}/", Map.of("server", "198.18.0.1")))
                .isEqualTo("http://198.18.0.1/");
    }

    @Test
    void a_name_without_a_value_is_an_illegal_argument() {
        assertThatThrownBy(() -> Placeholders.fill("{x}", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{x}");
    }
}
