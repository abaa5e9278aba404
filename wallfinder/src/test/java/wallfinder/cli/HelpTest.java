package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class HelpTest {
    private static final int WIDTH = 80;

    /// All commands, and the program without one.
    static Stream<String> names() {
        return Stream.concat(Stream.of(""), Main.commands().stream());
    }

    @ParameterizedTest
    @MethodSource("names")
    void help_fits_80_columns_and_wraps_its_sentences(String name) {
        CommandLine all = Main.commandLine();
        CommandLine command = name.isEmpty() ? all : all.getSubcommands().get(name);
        List<String> lines = command.getUsageMessage().lines().toList();
        assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(WIDTH));
        for (int i = 1; i < lines.size(); i++) {
            if (goesOn(lines.get(i - 1), lines.get(i))) {
                String word = lines.get(i).strip().split(" ")[0];
                assertThat(lines.get(i - 1).length() + 1 + word.length())
                        .as("%s ends too early", lines.get(i - 1))
                        .isGreaterThan(WIDTH - 1);
            }
        }
    }

    @Test
    void each_command_prints_the_version() {
        Main.commandLine().getSubcommands().values().forEach(HelpTest::assertVersion);
    }

    private static void assertVersion(CommandLine command) {
        assertThat(command.getCommandSpec().version()[0])
                .as(command.getCommandName())
                .startsWith("wallfinder ");
        command.getSubcommands().values().forEach(HelpTest::assertVersion);
    }

    /// Whether a line continues the sentence of the line before, both flush left.
    private static boolean goesOn(String before, String line) {
        return before.matches("[A-Za-z(].*[^.:]") && line.matches("[a-z].*");
    }

    /// These commands start other programs, or only print.
    private static final Set<String> WITHOUT_EXIT_CODES =
            Set.of("serve", "explain", "jvm", "agents");

    @Test
    void each_command_that_measures_lists_its_exit_codes() {
        Map<String, CommandLine> commands = new TreeMap<>(Main.commandLine().getSubcommands());
        commands.keySet().removeAll(WITHOUT_EXIT_CODES);
        assertThat(commands.values())
                .hasSizeGreaterThan(5)
                .allSatisfy(command ->
                        assertThat(command.getUsageMessage()).contains("Exit codes:", "  0   "));
    }
}
