package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/// The commands of the manual can be parsed, and the manual has all options.
class ManualTest {
    /// A command in a code block or between backticks, without a remark or a second command.
    private static final Pattern COMMAND =
            Pattern.compile("bin/wallfinder +([^`\\n|]*?)(?= +#| *[`\\n|&;]|' *$)");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    /// Stands for a number in a form, as in `--port N`.
    private static final String ANY_NUMBER = "N";

    @Test
    void every_command_in_a_document_can_be_parsed() throws IOException {
        List<String> wrong = new ArrayList<>();
        int shown = 0;
        for (Path document : documents()) {
            for (String line : Files.readAllLines(document)) {
                for (String command : commands(line)) {
                    shown++;
                    String problem = problem(words(command));
                    if (!problem.isEmpty()) {
                        wrong.add(document.getFileName() + ": " + command + ": " + problem);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(shown).isGreaterThan(50);
    }

    @ParameterizedTest
    @MethodSource("commandsWithOptions")
    void the_page_of_a_command_has_all_its_options(String command) throws IOException {
        StringBuilder pages = new StringBuilder();
        for (String page : List.of(command, "load", "tls")) {
            pages.append(Files.readString(Program.ROOT.resolve("docs/" + page + ".md")));
        }
        assertThat(options(Main.commandLine(command).getSubcommands().get(command)))
                .allSatisfy(option -> assertThat(pages.toString()).contains("`" + option));
    }

    static Stream<String> commandsWithOptions() {
        return Main.commands().stream().filter(name -> !List.of("serve", "explain").contains(name));
    }

    private static List<String> options(CommandLine command) {
        List<String> names = new ArrayList<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
                names.add(option.longestName());
            }
        }
        command.getSubcommands().values().forEach(sub -> names.addAll(options(sub)));
        return names;
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> manual = Files.walk(Program.ROOT.resolve("docs"))) {
            return Stream.concat(manual, Stream.of(Program.ROOT.resolve("README.md")))
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> commands(String line) {
        return COMMAND.matcher(line + "\n")
                .results()
                .map(found -> found.group(1).strip())
                .filter(command -> !command.isEmpty() && !command.startsWith("["))
                .toList();
    }

    /// Leaves out the optional parts in brackets.
    private static List<String> words(String command) {
        return WORD.matcher(command.replaceAll(" \\[[^]]*]", ""))
                .results()
                .map(found -> found.group(1) != null ? found.group(1) : found.group(2))
                .map(word -> word.equals(ANY_NUMBER) ? "1" : word)
                .toList();
    }

    private static String problem(List<String> words) {
        String[] arguments = words.toArray(String[]::new);
        if (arguments[0].startsWith("-") || !Main.commands().contains(arguments[0])) {
            return Arrays.asList("--help", "--version").contains(arguments[0])
                    ? ""
                    : "there is no such command";
        }
        try {
            Main.commandLine(arguments).parseArgs(arguments);
            return "";
        } catch (CommandLine.ParameterException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
