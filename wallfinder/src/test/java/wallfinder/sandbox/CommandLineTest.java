package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.UsageException;

class CommandLineTest {
    @Test
    void a_command_is_split_at_blanks_outside_quotes() {
        assertThat(CommandLine.split("  a  'b c' \"d 'e'\" f\\ g '' h'i'j\t\"k\\\"l\" "))
                .containsExactly("a", "b c", "d 'e'", "f g", "", "hij", "k\"l");
        assertThat(CommandLine.split("sh -c 'echo \\n $HOME | wc'"))
                .containsExactly("sh", "-c", "echo \\n $HOME | wc");
    }

    @Test
    void a_quote_that_is_not_closed_is_told() {
        assertThatThrownBy(() -> CommandLine.split("echo 'a b"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("not closed");
    }

    @Test
    void a_placeholder_keeps_its_blanks_and_is_filled_in_once() {
        assertThat(
                        CommandLine.words(
                                "java {options} -p={port} {\"json\":1} {}",
                                Map.of("options", "-a {port}", "port", "80$1")))
                .containsExactly("java", "-a {port}", "-p=80$1", "{json:1}", "{}");
    }

    @Test
    void an_unknown_placeholder_is_told_with_the_nearest_name() {
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
