package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class OutputOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "load http://localhost/ -c 2",
                "hold tcp://localhost:1",
                "find a.yaml --quiet",
                "run a.yaml --resume",
                "fit a.yaml"
            })
    void the_command_line_is_kept_as_the_user_typed_it(String line) {
        assertThat(commandLine(line.split(" "))).isEqualTo("wallfinder " + line);
    }

    @Test
    void a_word_that_a_shell_would_not_take_as_it_is_gets_quotes() {
        assertThat(
                        commandLine(
                                "load",
                                "http://h/?a=1&b",
                                "--objective",
                                "p99 < 50ms",
                                "-b",
                                "it's"))
                .isEqualTo(
                        "wallfinder load 'http://h/?a=1&b' --objective 'p99 < 50ms' -b 'it'\\''s'");
    }

    private static String commandLine(String... arguments) {
        CommandLine main = Main.commandLine(arguments);
        main.parseArgs(arguments);

        CommandSpec command = main.getSubcommands().get(arguments[0]).getCommandSpec();
        OutputOptions output = (OutputOptions) command.mixins().get("output").userObject();
        return output.commandLine();
    }
}
