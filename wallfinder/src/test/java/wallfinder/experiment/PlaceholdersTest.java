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
    void a_name_without_a_value_is_an_illegal_argument() {
        assertThatThrownBy(() -> Placeholders.fill("{x}", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{x}");
    }
}
