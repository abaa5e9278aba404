package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.UsageException;

class CommandLineTest {
    @Test
    void a_command_is_split_at_spaces_outside_quotes() {
        assertThat(CommandLine.split("  a  'b c' \"d 'e'\" f\\ g '' h'i'j\t\"k\\\"l\" "))
                .containsExactly("a", "b c", "d 'e'", "f g", "", "hij", "k\"l");
        assertThat(CommandLine.split("sh -c 'echo \\n $HOME | wc'"))
                .containsExactly("sh", "-c", "echo \\n $HOME | wc");
    }

    @Test
    void an_unclosed_quote_is_refused() {
        assertThatThrownBy(() -> CommandLine.split("echo 'a b"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("not closed");
    }

    @Test
    void a_value_with_spaces_stays_one_word_and_its_braces_stay() {
        assertThat(
                        CommandLine.words(
                                "java {options} -p={port} {\"json\":1} {}",
                                Map.of("options", "-a {port}", "port", "80$1")))
                .containsExactly("java", "-a {port}", "-p=80$1", "{json:1}", "{}");
    }

    @Test
    void the_error_for_an_unknown_placeholder_names_the_nearest_one() {
        assertThatThrownBy(() ->
                        CommandLine.expand("--n={backlgo}", Map.of("backlog", "1", "port", "2")))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        e -> assertThat(e.todo()).startsWith("Did you mean 'backlog'?"));
    }

    @Test
    void an_empty_command_is_refused() {
        assertThatThrownBy(() -> CommandLine.words(" ", Map.of()))
                .isInstanceOf(UsageException.class);
    }
}
