package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
        String[] arguments = line.split(" ");
        CommandLine main = Main.commandLine(arguments);
        main.parseArgs(arguments);

        CommandSpec command = main.getSubcommands().get(arguments[0]).getCommandSpec();
        OutputOptions output = (OutputOptions) command.mixins().get("output").userObject();
        assertThat(output.commandLine()).isEqualTo("wallfinder " + line);
    }
}
